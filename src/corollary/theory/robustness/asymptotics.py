r"""Growth: constants behind O and Omega, and ratios that vanish.

.. math:: f=O(g):\ |f(n)|\le C\,g(n)\ \forall n\ge N,\qquad
   f=\Omega(g):\ |f(n)|\ge C'g(n)\ \forall n\ge N,\qquad f=o(g):\ f/g\to0.

Statements about all n cannot be read off finitely many values; what can is a witness that holds on
the values seen, and for polynomials constants that are proved. The exponent of a power law with
its interval is :func:`corollary.core.loglog_fit`, which every rate of this package is fitted by.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.1; Knuth (1976), "Big omicron
    and big omega and big theta".
"""

from typing import NamedTuple

from jaxtyping import Float, Shaped
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_no_nan


class Witness(NamedTuple):
    """``constant`` such that the inequality holds for all sizes seen from ``first`` on."""

    constant: float
    first: float


def upper_witness(
    f: Float[Tensor, " t"], g: Float[Tensor, " t"], n: Shaped[Tensor, " t"]
) -> Witness:
    r"""The smallest C with :math:`|f|\le C g` on the later half of the sizes, and from where on.

    Example:
        >>> import torch
        >>> n = torch.arange(1.0, 101.0, dtype=torch.float64)
        >>> upper_witness(6 * n**4 - 2 * n**3 + 5, n**4, n)  # 6 - 2/n + 5/n^4 at n = 100
        Witness(constant=5.98000005, first=2.0)

    :covers: asymptotic-notation
    """
    ratio = _ratio(f, g, n)
    constant = float(ratio[len(ratio) // 2 :].max())
    return Witness(constant, _first(ratio <= constant, n))


def lower_witness(
    f: Float[Tensor, " t"], g: Float[Tensor, " t"], n: Shaped[Tensor, " t"]
) -> Witness:
    r"""The largest C with :math:`|f|\ge C g` on the later half of the sizes, and from where on.

    Example:
        >>> import torch
        >>> n = torch.arange(1.0, 101.0, dtype=torch.float64)
        >>> lower_witness(3 * n + 4, n, n)  # 3 + 4/n
        Witness(constant=3.04, first=1.0)

    :covers: asymptotic-notation
    """
    ratio = _ratio(f, g, n)
    constant = float(ratio[len(ratio) // 2 :].min())
    return Witness(constant, _first(ratio >= constant, n))


def ratio_exponent(
    f: Float[Tensor, " t"], g: Float[Tensor, " t"], n: Shaped[Tensor, " t"]
) -> float:
    """The slope of log(f/g) against log n over the later half: negative for f = o(g).

    0 within its error means that both grow alike, and then O and Omega hold.

    Example:
        >>> import torch
        >>> n = torch.arange(1.0, 101.0, dtype=torch.float64)
        >>> round(ratio_exponent(n**2, n**3, n), 9)
        -1.0

    :covers: asymptotic-notation
    """
    half = len(n) // 2
    y, x = _ratio(f, g, n)[half:].log(), n[half:].to(f.dtype).log()
    x = x - x.mean()
    return float((x * y).sum() / (x * x).sum())


def polynomial_constants(coefficients: Float[Tensor, " m"]) -> tuple[Witness, Witness]:
    r"""Proved constants for :math:`p(n)=\sum_ic_in^i=O(n^r)` and :math:`\Omega(n^r)`, r the degree.

    :math:`|p(n)|\le\sum_i|c_i|\,n^r` from 1 on, and :math:`|p(n)|\ge\frac{|c_r|}2n^r` from
    :math:`2\sum_{i<r}|c_i|/|c_r|` on.

    Example:
        >>> import torch
        >>> polynomial_constants(torch.tensor([6.0, 0.0, 0.0, -3.0, 6.0]))
        (Witness(constant=15.0, first=1.0), Witness(constant=3.0, first=3.0))

    :covers: asymptotic-notation
    """
    check_no_nan("coefficients", coefficients)
    sizes = coefficients.abs()
    if len(sizes) == 0 or float(sizes[-1]) == 0:
        raise InputError("the leading coefficient must not be zero")
    lead, rest = float(sizes[-1]), float(sizes[:-1].sum())
    return Witness(lead + rest, 1.0), Witness(lead / 2, max(1.0, 2 * rest / lead))


def _ratio(f: Tensor, g: Tensor, n: Tensor) -> Tensor:
    if len(n) < 4 or bool((n[1:] <= n[:-1]).any()):
        raise InputError("at least four growing sizes are needed")
    if not bool((g > 0).all()):
        raise InputError("g must be positive at every size")
    return f.abs() / g


def _first(holds: Tensor, n: Tensor) -> float:
    """The size from which on it holds throughout."""
    broken = (~holds).nonzero()
    at = int(broken[-1]) + 1 if len(broken) else 0
    return float(n[at])
