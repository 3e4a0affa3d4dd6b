r"""Polynomials through chosen points, how close they come, and their move to another interval.

Interpolation at Chebyshev points converges for every Lipschitz function, geometrically for one that
is analytic. At equispaced points it may diverge, as Runge's function shows.

:source: Mathematical Foundations of Deep Learning (slides), Stone-Weierstrass theorem; Trefethen
    (2013), Approximation Theory and Approximation Practice, Theorem 8.2; Runge (1901).
"""

import math
from collections.abc import Callable
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

Line = Callable[[Tensor], Tensor]  # entry by entry
Nodes = Literal["chebyshev", "equispaced"]


def nodes(kind: Nodes, degree: int) -> Float[Tensor, " n"]:
    """``degree + 1`` points of [-1, 1]: Chebyshev's, crowded at the ends, or equally spaced ones.

    Example:
        >>> nodes("chebyshev", 2).tolist(), nodes("equispaced", 2).tolist()
        ([-1.0, 0.0, 1.0], [-1.0, 0.0, 1.0])
    """
    if degree < 1:
        raise InputError(f"the degree must be at least 1, got {degree}")
    if kind == "equispaced":
        return torch.linspace(-1, 1, degree + 1, dtype=torch.float64)
    if kind != "chebyshev":
        raise InputError(f"expected nodes to be 'chebyshev' or 'equispaced', got {kind!r}")
    k = torch.arange(degree + 1, dtype=torch.float64)
    return torch.sin(math.pi * (2 * k - degree) / (2 * degree))  # exactly odd about 0


def interpolant(f: Line, t: Float[Tensor, " k"], x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """The polynomial through f at the nodes t, at points of [-1, 1]; barycentric, O(n k).

    Example:
        >>> x = torch.tensor([0.3], dtype=torch.float64)
        >>> round(interpolant(lambda t: t**3, nodes("chebyshev", 3), x).item(), 12)
        0.027
    """
    gaps = t[:, None] - t[None] + torch.eye(len(t), dtype=t.dtype)
    logs = gaps.abs().log().sum(1)  # weights 1 / prod, scaled so that none overflows
    w = torch.exp(logs.min() - logs) * gaps.sign().prod(1)
    away = x[:, None] - t
    hit = away == 0
    terms = w / torch.where(hit, 1.0, away)
    values = (terms @ f(t)) / terms.sum(1)
    place = hit.to(torch.int64).argmax(1)
    return torch.where(hit.any(1), f(t)[place], values)


def runge(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""Runge's function :math:`1/(1+25x^2)`: analytic on the line, with poles at :math:`\pm i/5`.

    Example:
        >>> runge(torch.tensor([0.0, 0.2])).tolist()
        [1.0, 0.5]
    """
    return 1 / (1 + 25 * x * x)


def runge_remainder(degree: int, x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    r"""The error :math:`|f(x)-p_n(x)|` of Runge's function at the Chebyshev points, exactly.

    With :math:`\omega(x)=\prod_k(x-x_k)` the remainder is :math:`f(x)\,\omega(x)/\omega(i/5)` for
    odd n, and :math:`x/(i/5)` times that for even n: f has its poles at :math:`\pm i/5` only. For
    :math:`x=\cos\vartheta` the product is :math:`\sin\vartheta\sin n\vartheta` up to a factor.

    Example:
        >>> at = torch.tensor([0.5], dtype=torch.float64)
        >>> round(runge_remainder(2, at).item(), 9), round(1 - 25 / 26 / 4 - 1 / 7.25, 9)
        (0.62168435, 0.62168435)
    """
    theta = torch.arccos(x)
    reach = degree * math.asinh(0.2)
    at_pole = math.sqrt(26) / 5 * (math.cosh(reach) if degree % 2 else math.sinh(reach) / 5)
    odd = runge(x) * (theta.sin() * (degree * theta).sin()).abs() / at_pole
    return odd if degree % 2 else odd * x.abs()


def evaluate(coefficients: Float[Tensor, " n"], x: Float[Tensor, " k"]) -> Float[Tensor, " k"]:
    """A polynomial with ``coefficients[j]`` before ``x**j``, by Horner's rule.

    Example:
        >>> evaluate(torch.tensor([1.0, 0.0, 2.0]), torch.tensor([3.0]))
        tensor([19.])
    """
    value = torch.zeros_like(x)
    for c in coefficients.flip(0):
        value = value * x + c
    return value


def rescale(coefficients: Float[Tensor, " n"], a: float, b: float) -> Float[Tensor, " n"]:
    r"""Coefficients of :math:`p\circ\phi^{-1}`, where :math:`\phi(t)=(1-t)a+tb`.

    The polynomial p on [0, 1] becomes one of the same degree on [a, b] with the same values:
    whatever it approximated to some sup error, it approximates to the same error after the move.

    Example:
        >>> rescale(torch.tensor([0.0, 1.0]), 2.0, 4.0).tolist()  # t becomes (x - 2) / 2
        [-1.0, 0.5]

    :covers: interval-reparametrisation
    :erratum: [wrong] Proposition 18 maps C[0,1] to C[a,b] by f -> f o phi with phi(t) = (1-t)a +
        tb. phi goes from [0,1] to [a,b], so f o phi is not defined on [a,b]; it must be f o
        phi^{-1}. The claim interval_change computes both.
    """
    if not a < b:
        raise InputError(f"an interval needs a < b, got a={a:g} and b={b:g}")
    inner = coefficients.new_tensor([-a / (b - a), 1 / (b - a)])  # phi^{-1}(x)
    return compose(coefficients, inner)


def compose(p: Float[Tensor, " n"], inner: Float[Tensor, " two"]) -> Float[Tensor, " n"]:
    """Coefficients of ``p(c + s x)`` for ``inner = (c, s)``; O(n²).

    Example:
        >>> compose(torch.tensor([0.0, 0.0, 1.0]), torch.tensor([1.0, 1.0])).tolist()  # (1 + x)²
        [1.0, 2.0, 1.0]
    """
    out = torch.zeros_like(p)
    for c in p.flip(0):
        shifted = torch.cat([out.new_zeros(1), out[:-1]])
        out = inner[0] * out + inner[1] * shifted
        out[0] += c
    return out
