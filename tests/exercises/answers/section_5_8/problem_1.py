import numpy as np

from corollary.core.proof import eq, ge, le, let


def ell(x):
    return x.max() + np.log(np.exp(x - x.max()).sum())


def slope(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def above_tangent(x, z, lam):
    yield let("", slope(z) @ (x - z))
    yield le("", (ell(z + lam * (x - z)) - ell(z)) / lam, "the slope of a secant grows")
    yield le("", ell(x) - ell(z), "convexity, divided by lambda")


def above_tangent__overflow(x, z, lam):
    def ell(x):
        return np.log(np.exp(x).sum())

    yield let("", slope(z) @ (x - z))
    yield le("", (ell(z + lam * (x - z)) - ell(z)) / lam, "the slope of a secant grows")
    yield le("", ell(x) - ell(z), "convexity, divided by lambda")


def above_tangent__at_x(x, z, lam):
    yield let("", slope(x) @ (x - z))
    yield le("", (ell(z + lam * (x - z)) - ell(z)) / lam, "the slope of a secant grows")
    yield le("", ell(x) - ell(z), "convexity, divided by lambda")


def above_tangent__not_divided(x, z, lam):
    yield let("", slope(z) @ (x - z))
    yield le("", ell(z + lam * (x - z)) - ell(z), "the slope of a secant grows")
    yield le("", ell(x) - ell(z), "convexity")


def above_tangent__other_end(x, z, lam):
    yield let("", slope(z) @ (x - z))
    yield le("", (ell(x + lam * (z - x)) - ell(x)) / lam, "the slope of a secant grows")
    yield le("", ell(x) - ell(z), "convexity, divided by lambda")


def above_tangent__upside_down(x, z, lam):
    yield let("", slope(z) @ (x - z))
    yield ge("", (ell(z + lam * (x - z)) - ell(z)) / lam, "the slope of a secant falls")
    yield ge("", ell(x) - ell(z), "convexity, divided by lambda")


def tangent_gaps(x, z, lam):
    c = lam * x + (1 - lam) * z
    return [ell(p) - ell(c) - slope(c) @ (p - c) for p in (x, z)]


def tangent_gaps__swapped(x, z, lam):
    return tangent_gaps(x, z, lam)[::-1]


def tangent_gaps__at_the_ends(x, z, lam):
    return [ell(x) - ell(z) - slope(z) @ (x - z), ell(z) - ell(x) - slope(x) @ (z - x)]


def tangent_gaps__negative(x, z, lam):
    return [-g for g in tangent_gaps(x, z, lam)]


def tangent_gaps__no_gradient(x, z, lam):
    c = lam * x + (1 - lam) * z
    return [ell(x) - ell(c), ell(z) - ell(c)]


def tangent_gaps__sum(x, z, lam):
    g = tangent_gaps(x, z, lam)
    return lam * g[0] + (1 - lam) * g[1]


def tangent_gaps__divided(x, z, lam):
    c = lam * x + (1 - lam) * z
    gap = lam * ell(x) + (1 - lam) * ell(z) - ell(c)
    return [gap / (2 * lam), gap / (2 * (1 - lam))]


def tangent_gaps__middle(x, z, lam):
    return tangent_gaps(x, z, 0.5)


def integrals(x, z):
    t, w = np.polynomial.legendre.leggauss(40)
    t, w = (t + 1) / 2, w / 2
    change = np.array([slope(z + s * (x - z)) - slope(z) for s in t])
    return w @ (change @ (x - z)), w @ np.linalg.norm(change, axis=1) * np.linalg.norm(x - z)


def below_parabola(x, z):
    inner, outer = integrals(x, z)
    yield let("", ell(x) - ell(z) - slope(z) @ (x - z))
    yield eq("", inner, "the fundamental theorem of calculus")
    yield le("", outer, "Cauchy-Schwarz")
    yield le("", (x - z) @ (x - z) / 2, "the gradient is 1-Lipschitz")


def below_parabola__equal(x, z):
    inner, outer = integrals(x, z)
    yield let("", ell(x) - ell(z) - slope(z) @ (x - z))
    yield eq("", outer, "Cauchy-Schwarz")
    yield le("", (x - z) @ (x - z) / 2, "the gradient is 1-Lipschitz")


def below_parabola__no_half(x, z):
    inner, outer = integrals(x, z)
    yield let("", ell(x) - ell(z) - slope(z) @ (x - z))
    yield le("", outer, "Cauchy-Schwarz")
    yield le("", (x - z) @ (x - z), "the gradient is 1-Lipschitz")


def below_parabola__not_squared(x, z):
    inner, outer = integrals(x, z)
    yield let("", ell(x) - ell(z) - slope(z) @ (x - z))
    yield le("", outer, "Cauchy-Schwarz")
    yield le("", np.sqrt((x - z) @ (x - z)) / 2, "the gradient is 1-Lipschitz")


def below_parabola__not_through(x, z):
    inner, outer = integrals(x, z)
    yield let("", ell(x) - ell(z) - slope(z) @ (x - z))
    yield eq("", inner, "the fundamental theorem of calculus")
    yield le("", (x - z) @ (x - z) / 2, "clear")


def below_parabola__no_tangent(x, z):
    inner, outer = integrals(x, z)
    yield let("", ell(x) - ell(z))
    yield le("", outer, "Cauchy-Schwarz")
    yield le("", (x - z) @ (x - z) / 2, "the gradient is 1-Lipschitz")
