r"""A bound on the classification error of the tangent kernel.

Let :math:`H` be the limit kernel of the previous problem, :math:`H_{ij} = h(x_i^\top x_j)` with
:math:`h(z) = z (\pi - \arccos z)/(2\pi)`, at :math:`n` points of length 1, and let :math:`y = X
\beta`. Write :math:`K = X X^\top`, which is invertible here.

:source: Notes, Section 7.4, Problem 2.
:a: ``coefficients(N)`` Return the coefficients :math:`c_0, \dots, c_N` of the power series
    :math:`h(z) = \sum_k c_k z^k`.
:a-hints: Insert the series of the arccosine. | There is one odd power only. | The coefficient of
    :math:`z^{2l+2}` is :math:`\frac{1}{2\pi} \frac{(2l)!}{4^l (l!)^2 (2l+1)}`.
:b: ``error_bound(X, beta)`` Yield a chain from :math:`\sqrt{2 \, y^\top H^{-1} y \cdot
    \mathrm{tr}(H)}/n` to :math:`2\sqrt2 \, \|\beta\|/\sqrt{n}` through :math:`\sqrt{8 \, y^\top
    K^{-1} y \cdot \mathrm{tr}(H)}/n`.
:b-hints: :math:`4 K^{-1} - H^{-1}` is positive semi-definite, as part a shows. | The trace of
    :math:`H` is at most :math:`n`. | :math:`X^\top K^{-1} X` is a projection.
"""

from collections.abc import Iterator

import numpy as np

from corollary.exercises.judging import Array, Case, Chain, Rng, equals


def kernel(z: Array) -> Array:
    """The function h."""
    return np.asarray(z * (np.pi - np.arccos(np.clip(z, -1, 1))) / (2 * np.pi))


def taylor(N: int) -> Array:
    """The coefficients by Cauchy's formula: the mean over a circle of radius 1/2."""
    t = np.arange(512) * (2 * np.pi / 512)
    z = 0.5 * np.exp(1j * t)
    h = z * (np.pi / 2 + np.arcsin(z)) / (2 * np.pi)
    return np.array([(h * np.exp(-1j * k * t)).mean().real * 2.0**k for k in range(N + 1)])


def part_a(rng: Rng) -> Iterator[Case]:
    """Series of several lengths."""
    for N, edge in ((6, ""), (int(rng.integers(8, 13)), ""), (0, "the constant term alone")):
        c = taylor(N)
        halved, odd = c.copy(), c.copy()
        halved[2:], odd[2:] = 2 * c[2:], np.roll(c, 1)[2:]
        said = {
            "the factor of the even powers is 1/(2π)": halved,
            "the powers are shifted by one": odd,
            "the linear term is missing": np.where(np.arange(N + 1) == 1, 0.0, c),
        }
        yield Case({"N": N}, equals(c, said), edge)


def part_b(rng: Rng) -> Iterator[Case]:
    """Points whose Gram matrix is invertible."""
    for n, d, edge in (
        (3, 5, ""),
        (4, 9, ""),
        (1, 3, "a single point"),
        (4, 4, "as many points as dimensions"),
    ):
        X, beta = rng.normal(size=(n, d)), rng.normal(size=d)
        X /= np.linalg.norm(X, axis=1)[:, None]
        y, K, H = X @ beta, X @ X.T, kernel(X @ X.T)
        first = np.sqrt(2 * y @ np.linalg.solve(H, y) * np.trace(H)) / n
        between = np.sqrt(8 * y @ np.linalg.solve(K, y) * np.trace(H)) / n
        end = 2 * np.sqrt(2) * np.linalg.norm(beta) / np.sqrt(n)
        judge = Chain(first, "≤", end, {"√(8 yᵀK⁻¹y tr H)/n": between})
        yield Case({"X": X, "beta": beta}, judge, edge)
