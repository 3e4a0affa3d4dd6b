import math

import numpy as np

from corollary.core.proof import eq, le, let


def landau(x, n):
    u, w = np.polynomial.legendre.leggauss(n + 4)
    t = (u + 1) / 2
    return w @ (t * (1 - t) * (1 - (t - x) ** 2) ** n) / 2 / (w @ (1 - u**2) ** n)


def landau__limit(x, n):
    return x * (1 - x)


def landau__half_interval(x, n):
    return 2 * landau(x, n)


def landau__not_divided(x, n):
    u, w = np.polynomial.legendre.leggauss(n + 4)
    t = (u + 1) / 2
    return w @ (t * (1 - t) * (1 - (t - x) ** 2) ** n) / 2


def landau__few_nodes(x, n):
    u, w = np.polynomial.legendre.leggauss(5)
    t = (u + 1) / 2
    return w @ (t * (1 - t) * (1 - (t - x) ** 2) ** n) / 2 / (w @ (1 - u**2) ** n)


def modulus_bound(f_x, f_y, u, eps, delta, M):
    end = eps / 2 + 2 * M * u**2 / delta**2
    yield let("", abs(f_y - f_x))
    if abs(u) < delta:
        yield le("", eps / 2, "u is small")
        yield le("", end, "a square is added")
    else:
        yield le("", 2 * M, "both are at most M")
        yield le("", end, "1 <= u^2 / delta^2")


def modulus_bound__near_only(f_x, f_y, u, eps, delta, M):
    yield let("", abs(f_y - f_x))
    yield le("", eps / 2, "continuity")
    yield le("", eps / 2 + 2 * M * u**2 / delta**2, "a square is added")


def modulus_bound__far_only(f_x, f_y, u, eps, delta, M):
    yield let("", abs(f_y - f_x))
    yield le("", 2 * M, "both are at most M")
    yield le("", eps / 2 + 2 * M * u**2 / delta**2, "1 <= u^2 / delta^2")


def modulus_bound__border(f_x, f_y, u, eps, delta, M):
    yield let("", abs(f_y - f_x))
    yield le("", eps / 2 if abs(u) <= delta else 2 * M, "one of two cases")
    yield le("", eps / 2 + 2 * M * u**2 / delta**2, "the other term is added")


def modulus_bound__equal(f_x, f_y, u, eps, delta, M):
    yield let("", abs(f_y - f_x))
    yield eq("", eps / 2 if abs(u) < delta else 2 * M, "one of two cases")
    yield le("", eps / 2 + 2 * M * u**2 / delta**2, "the other term is added")


def second_moment_ratio(n):
    return 1 / (2 * n + 3)


def second_moment_ratio__same_J(n):
    return 1 / (2 * (n + 1))


def second_moment_ratio__shifted(n):
    return 1 / (2 * n + 1)


def second_moment_ratio__order(n):
    return 1 / n if n else 1.0


def sufficient_degree(eps, delta, M):
    return max(1, math.ceil(2 * M / (eps * delta**2)))


def sufficient_degree__too_small(eps, delta, M):
    return max(1, math.floor(M / (2 * eps * delta**2)))


def sufficient_degree__too_large(eps, delta, M):
    return 10**4


def sufficient_degree__not_whole(eps, delta, M):
    return 2 * M / (eps * delta**2)


def sufficient_degree__zero(eps, delta, M):
    return max(0, math.floor(2 * M / (eps * delta**2) - 1.5))
