r"""Width of a shallow network: approximation against estimation.

The mean squared error of a least-squares network with n units, d inputs and M samples of a
function with Barron constant C is of order

.. math:: \frac{C^2}n+\frac{nd}M\log M,\qquad
   n^*=C\Bigl(\frac M{d\log M}\Bigr)^{1/2},\qquad
   2C\Bigl(\frac{d\log M}M\Bigr)^{1/2}\text{ at }n^* .

The first term falls with the width, the second grows; constants are left at 1 here.

:source: Mathematical Foundations of Deep Learning (slides), Barron's Theorem; Barron (1994),
    "Approximation and estimation bounds for artificial neural networks".
:covers: barron-risk-bound
:test: tests/theory/generalization/test_barron_risk.py
:erratum: [notation] The slide calls the sum O(1/n) + O((nd/M) ln M) the estimation error. The first
    term is the approximation error, the second the estimation error; the sum bounds the mean
    squared error of the fitted network.
"""

import math
from typing import NamedTuple

from corollary.errors import InputError
from corollary.theory.generalization.conditions import Number, check_nonnegative, check_sample


class RiskTerms(NamedTuple):
    """The two terms of the risk, up to constants."""

    approximation: float
    estimation: float

    @property
    def total(self) -> float:
        """Their sum."""
        return self.approximation + self.estimation


def barron_risk(n: Number, d: int, M: int, C: Number = 1.0) -> RiskTerms:
    """Approximation and estimation error of n units, up to constants.

    Example:
        >>> terms = barron_risk(10, 2, 1000)
        >>> terms.approximation, round(terms.estimation, 4)
        (0.1, 0.1382)
    """
    check_sample("n", n)
    _check(d, M, C)
    return RiskTerms(C**2 / n, n * d / M * math.log(M))


def barron_width(d: int, M: int, C: Number = 1.0) -> float:
    """The width at which the two terms are equal and their sum is least (not rounded).

    Example:
        >>> n = barron_width(2, 1000)
        >>> terms = barron_risk(n, 2, 1000)
        >>> round(n, 2), abs(terms.approximation / terms.estimation - 1) < 1e-12
        (8.51, True)
    """
    _check(d, M, C)
    return C * math.sqrt(M / (d * math.log(M)))


def _check(d: int, M: int, C: Number) -> None:
    check_sample("d", d)
    check_nonnegative("C", C)
    if M < 2:
        raise InputError(f"at least M = 2 samples are needed, but M={M}")
