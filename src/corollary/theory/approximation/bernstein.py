r"""Bernstein polynomials: Weierstrass' theorem by the law of large numbers.

.. math:: b_k^m(x)=\binom mk x^k(1-x)^{m-k},\qquad q_m(x)=\sum_{k=0}^m f(k/m)\,b_k^m(x)

:math:`b_k^m(x)` is the probability of k heads among m throws of a coin that shows heads with
probability x, so :math:`\sum_kb_k^m=1`, :math:`\sum_k\frac km b_k^m=x` and
:math:`\sum_k(x-\frac km)^2b_k^m=x(1-x)/m`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.3, (3.5)-(3.8), Theorem 17 and
    Figure 3.1; Bernstein (1912), "Demonstration du theoreme de Weierstrass fondee sur le calcul
    des probabilites".
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

Line = Callable[[Tensor], Tensor]  # entry by entry
LARGEST_DEGREE = 1_000_000


def bernstein_basis(m: int, x: Float[Tensor, " n"]) -> Float[Tensor, "n p"]:
    r"""The values :math:`b_0^m(x),\dots,b_m^m(x)`, one row for each point.

    Through logarithms of the Gamma function, so that nothing overflows for large m.

    Example:
        >>> bernstein_basis(2, torch.tensor([0.5])).tolist()
        [[0.25, 0.5, 0.25]]

    :covers: bernstein-basis
    :erratum: [typo] Two sums in the proof sketch of the Weierstrass theorem start at k = 1 and
        should start at k = 0, as (3.6) does. For m = 5, x = 0.2 the sum of the basis from k = 1 is
        0.672 instead of 1, and the variance sum 0.0189 instead of x(1-x)/m = 0.032.
    """
    if not 1 <= m <= LARGEST_DEGREE:
        raise InputError(f"the degree m must lie between 1 and {LARGEST_DEGREE}, got {m}")
    if not bool(((x >= 0) & (x <= 1)).all()):
        raise InputError("Bernstein polynomials are used on [0, 1], but a point lies outside it")
    k = torch.arange(m + 1, dtype=x.dtype, device=x.device)
    binomial = math.lgamma(m + 1) - torch.lgamma(k + 1) - torch.lgamma(m - k + 1)
    # xlogy is 0 where k = 0 (or k = m), also at the ends of the interval.
    powers = torch.xlogy(k, x[:, None]) + torch.xlogy(m - k, 1 - x[:, None])
    return torch.exp(binomial + powers).clamp(max=1.0)


def bernstein(f: Line, m: int, x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    r"""The Bernstein polynomial :math:`q_m` of f at each point; :math:`O(nm)`.

    Example:
        >>> x = torch.tensor([0.0, 0.5, 1.0], dtype=torch.float64)
        >>> [round(v, 12) for v in bernstein(torch.square, 2, x).tolist()]  # x² + x(1-x)/2
        [0.0, 0.375, 1.0]
    """
    nodes = torch.arange(m + 1, dtype=x.dtype, device=x.device) / m
    return bernstein_basis(m, x) @ f(nodes)


def bernstein_degree(eps: float, delta: float, R: float) -> int:
    r"""The smallest m with :math:`m>R/(2\epsilon\delta^2)`: then :math:`\|f-q_m\|_\infty<\epsilon`.

    It supposes :math:`|f(x)-f(y)|\le\epsilon/2` for :math:`|x-y|\le\delta` and
    :math:`R\ge2\|f\|_\infty`.

    Example:
        >>> bernstein_degree(0.1, 0.05, 1.0)
        2001
    """
    if not (eps > 0 and delta > 0 and 0 <= R < math.inf):
        raise InputError(f"eps and delta must be positive and R finite, got {eps=}, {delta=}, {R=}")
    return max(1, math.floor(R / (2 * eps * delta**2) * (1 + 1e-12)) + 1)


def modulus_bound(omega: float) -> float:
    r"""Popoviciu's bound :math:`\|f-q_m\|_\infty\le\frac32\,\omega(f,m^{-1/2})`.

    Args:
        omega: The modulus of continuity of f at :math:`m^{-1/2}`.

    Example:
        >>> modulus_bound(0.1)
        0.15000000000000002
    """
    return 1.5 * omega
