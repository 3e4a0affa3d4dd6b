r"""Characterizations of convex functions.

A function :math:`\ell` is convex if :math:`\ell(\lambda x + (1-\lambda) z) \le \lambda \ell(x) +
(1-\lambda)\ell(z)` for all :math:`x, z` and :math:`0 \le \lambda \le 1`. For a differentiable
:math:`\ell` this is the same as lying above every tangent, and a smooth one also lies below a
parabola. Carry out the three arguments for :math:`\ell(x) = \log \sum_i e^{x_i}`, which is convex
and 1-smooth.

:source: Notes, Section 5.8, Problem 1.
:a: ``above_tangent(x, z, lam)`` Lying above the tangent. Yield a chain from
    :math:`\nabla\ell(z)^\top (x - z)` to :math:`\ell(x) - \ell(z)` through the slope of the secant
    :math:`(\ell(z + \lambda(x - z)) - \ell(z))/\lambda`.
:a-hints: Divide the definition of convexity by :math:`\lambda`. | The slope of a secant grows with
    :math:`\lambda`, and the derivative is its limit at 0. | Only two inequalities are needed.
:b: ``tangent_gaps(x, z, lam)`` The converse. At the point :math:`c = \lambda x + (1-\lambda) z`
    there are two tangent inequalities, one for :math:`x` and one for :math:`z`. Return what each
    leaves over, :math:`(g_x, g_z)`, both at least 0, so that :math:`\lambda g_x + (1-\lambda) g_z =
    \lambda \ell(x) + (1-\lambda) \ell(z) - \ell(c)`.
:b-hints: Both tangents touch at the same point. | That point is :math:`c`, not :math:`x` or
    :math:`z`. | :math:`\lambda (x - c) + (1-\lambda)(z - c) = 0`, so the gradient drops out.
:c: ``below_parabola(x, z)`` Smoothness. Yield a chain from
    :math:`\ell(x) - \ell(z) - \nabla\ell(z)^\top (x-z)` to :math:`\|x - z\|^2/2` through
    :math:`\int_0^1 \|\nabla\ell(z + t(x - z)) - \nabla\ell(z)\| \, \|x - z\| \, dt`. Compute
    integrals by Gauss-Legendre with 40 nodes.
:c-hints: Write :math:`\ell(x) - \ell(z)` as the integral of a derivative along the segment. |
    Cauchy-Schwarz under the integral sign. | Then the gradient is 1-Lipschitz, and :math:`\int_0^1
    t \, dt = 1/2`.
"""

from collections.abc import Iterator

import numpy as np

from corollary.exercises.judging import Array, Case, Chain, Rng, equals


def log_sum_exp(x: Array) -> float:
    """The function of this problem."""
    top = float(x.max())
    return top + float(np.log(np.exp(x - top).sum()))


def slope(x: Array) -> Array:
    """Its derivative."""
    weights = np.exp(x - x.max())
    return np.asarray(weights / weights.sum())


def pairs(rng: Rng) -> Iterator[tuple[Array, Array, str]]:
    """Two points, and what is special about them."""
    for d in (2, 5):
        yield rng.normal(size=d) * 2, rng.normal(size=d) * 2, ""
    x = rng.normal(size=3)
    yield x + 800.0, x[::-1] + 800.0, "large entries, whose exponentials overflow"


def part_a(rng: Rng) -> Iterator[Case]:
    """Secants of several lengths."""
    for x, z, edge in pairs(rng):
        lam = float(rng.uniform(0.2, 0.8))
        secant = (log_sum_exp(z + lam * (x - z)) - log_sum_exp(z)) / lam
        rise = log_sum_exp(x) - log_sum_exp(z)
        through = {"the slope of the secant": secant}
        judge = Chain(float(slope(z) @ (x - z)), "≤", rise, through)
        yield Case({"x": x, "z": z, "lam": lam}, judge, edge)


def part_b(rng: Rng) -> Iterator[Case]:
    """Points between two others, and the ends."""
    for k, (x, z, edge) in enumerate([*pairs(rng), *list(pairs(rng))[:2]]):
        lam = (0.3, 0.8, 0.4, 0.0, 1.0)[k]
        c = lam * x + (1 - lam) * z
        gaps = [log_sum_exp(p) - log_sum_exp(c) - slope(c) @ (p - c) for p in (x, z)]
        ends = [log_sum_exp(p) - log_sum_exp(q) - slope(q) @ (p - q) for p, q in ((x, z), (z, x))]
        said = {
            "the tangents touch at x and at z, not at the point between them": ends,
            "the gaps of x and z are swapped": gaps[::-1],
            "your numbers are gaps below the tangent; the sign is wrong": [-gap for gap in gaps],
        }
        edge = edge or ("an end of the segment" if lam in (0.0, 1.0) else "")
        yield Case({"x": x, "z": z, "lam": lam}, equals(gaps, said), edge)


def part_c(rng: Rng) -> Iterator[Case]:
    """Segments, one of them of length 0."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    nodes, weights = (nodes + 1) / 2, weights / 2
    for x, z, edge in pairs(rng):
        start = log_sum_exp(x) - log_sum_exp(z) - float(slope(z) @ (x - z))
        length = float(np.linalg.norm(x - z))
        change = [np.linalg.norm(slope(z + t * (x - z)) - slope(z)) for t in nodes]
        through = {"the integral of the norms": float(weights @ change) * length}
        judge = Chain(start, "≤", length**2 / 2, through)
        yield Case({"x": x, "z": z}, judge, edge)
