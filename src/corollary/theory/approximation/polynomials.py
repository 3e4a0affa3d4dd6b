r"""Polynomials through chosen points, how close they come, and their move to another interval.

Interpolation at Chebyshev points converges for every Lipschitz function, geometrically for one that
is analytic: if :math:`|f|\le M` in the ellipse with foci :math:`\pm1` and semi-axes summing to
:math:`\varrho>1`,

.. math:: \|f-p_n\|_\infty\le\frac{4M\varrho^{-n}}{\varrho-1}.

At equispaced points it may diverge, as Runge's function shows.

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
        raise InputError(f"the degree must be at least 1, but it is {degree}")
    if kind == "equispaced":
        return torch.linspace(-1, 1, degree + 1, dtype=torch.float64)
    if kind != "chebyshev":
        raise InputError(f"nodes are 'chebyshev' or 'equispaced', but {kind!r} came")
    k = torch.arange(degree + 1, dtype=torch.float64)
    return torch.sin(math.pi * (2 * k - degree) / (2 * degree))  # exactly odd about 0


def interpolant(
    f: Line, degree: int, x: Float[Tensor, " n"], kind: Nodes = "chebyshev"
) -> Float[Tensor, " n"]:
    """The polynomial through f at the nodes, at points of [-1, 1]; barycentric, O(n degree).

    Example:
        >>> x = torch.tensor([0.3], dtype=torch.float64)
        >>> round(interpolant(lambda t: t**3, 3, x).item(), 12)
        0.027
    """
    t = nodes(kind, degree)
    gaps = t[:, None] - t[None] + torch.eye(degree + 1, dtype=t.dtype)
    logs = gaps.abs().log().sum(1)  # weights 1 / prod, scaled so that none overflows
    w = torch.exp(logs.min() - logs) * gaps.sign().prod(1)
    away = x[:, None] - t
    hit = away == 0
    terms = w / torch.where(hit, 1.0, away)
    values = (terms @ f(t)) / terms.sum(1)
    place = hit.to(torch.int64).argmax(1)
    return torch.where(hit.any(1), f(t)[place], values)


def ellipse_bound(M: float, rho: float, degree: int) -> float:
    r"""The bound :math:`4M\varrho^{-n}/(\varrho-1)` for Chebyshev interpolation.

    Example:
        >>> ellipse_bound(1.0, 2.0, 2)
        1.0
    """
    if not rho > 1 or not M >= 0:
        raise InputError(f"the ellipse needs rho > 1 and M >= 0, but rho={rho:g}, M={M:g}")
    return 4 * M * rho**-degree / (rho - 1)


def runge(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""Runge's function :math:`1/(1+25x^2)`: analytic on the line, with poles at :math:`\pm i/5`.

    Example:
        >>> runge(torch.tensor([0.0, 0.2])).tolist()
        [1.0, 0.5]
    """
    return 1 / (1 + 25 * x * x)


def runge_bound(degree: int) -> float:
    r"""The smallest :func:`ellipse_bound` of Runge's function over all admissible ellipses.

    On the ellipse :math:`\varrho` the largest value is :math:`1/(1-25\beta^2)` with semi-axis
    :math:`\beta=(\varrho-1/\varrho)/2<1/5`.

    Example:
        >>> runge_bound(20) < runge_bound(6)
        True
    """
    edge = (1 + 26**0.5) / 5  # the ellipse through the poles
    rho = 1 + (edge - 1) * torch.linspace(0, 1, 402, dtype=torch.float64)[1:-1]
    beta = (rho - 1 / rho) / 2
    return float((4 * rho**-degree / (rho - 1) / (1 - 25 * beta**2)).min())


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
        raise InputError(f"an interval needs a < b, but a={a:g} and b={b:g}")
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
