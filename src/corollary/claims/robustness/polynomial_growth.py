r"""Polynomials grow like their leading term.

For :math:`p(n)=\sum_{i\le r}c_in^i` with :math:`c_r\ne0`

.. math:: |p(n)|\le\Bigl(\sum_i|c_i|\Bigr)n^r\ (n\ge1),\qquad
   |p(n)|\ge\frac{|c_r|}2\,n^r\ \Bigl(n\ge\frac2{|c_r|}\sum_{i<r}|c_i|\Bigr),

so :math:`p=O(n^r)` and :math:`p=\Omega(n^r)` with these constants, and :math:`p=o(n^{r+1})`.
Measured: the largest :math:`|p|/n^r` and :math:`n^r/|p|` from where the constants hold.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.1 and Figure 12.3; Knuth (1976),
    "Big omicron and big omega and big theta".
:kind: bound
:covers: asymptotic-notation
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Sweep, at_most, normal, option
from corollary.theory.robustness.asymptotics import polynomial_constants


class Given(NamedTuple):
    coefficients: Float[Tensor, " m"]  # lowest first
    upper_from: float  # the sizes from which the two inequalities are read
    lower_from: float


def _beyond(given: Given) -> bool:
    upper, lower = polynomial_constants(given.coefficients)
    return given.upper_from >= upper.first and given.lower_from >= lower.first


def read_at_a_zero(self: "PolynomialGrowth") -> Given:
    """The polynomial vanishes at n = 2, where the ratio is taken."""
    c = torch.zeros(self.degree + 1, dtype=torch.float64)
    c[-1], c[-2] = 1.0, -2.0
    return Given(c, 1.0, 2.0)


class PolynomialGrowth(Claim[Given]):
    degree: int = option(4, low=1, high=8)  # degree of the polynomial
    largest: int = option(10000, low=100, high=10**6)  # size up to which ratios are taken

    relation = at_most(ulps=64)  # sums of a few terms
    supposes = Suppose("the sizes are beyond N", _beyond, without=read_at_a_zero)
    symbols = "C, and 1/C′", "largest ratio"
    rows = ("|p(n)| / n^r", "n^r / |p(n)|")
    shows = Sweep(
        "A polynomial divided by its leading power", "degree", range(1, 7), y="|p(n)| / n^r", log=""
    )

    def given(self, rng: Generator) -> Given:
        c = normal(rng, self.degree + 1)
        c[-1] = c[-1] + c[-1].sign()
        upper, lower = polynomial_constants(c)
        return Given(c, upper.first, lower.first)

    def predict(self, given: Given) -> list[float]:
        upper, lower = polynomial_constants(given.coefficients)
        return [upper.constant, 1 / lower.constant]

    def measure(self, given: Given) -> list[float]:
        n = torch.arange(1, self.largest + 1, dtype=torch.float64)
        powers = torch.arange(-self.degree, 1, dtype=torch.float64)
        ratio = (n[:, None] ** powers @ given.coefficients).abs()  # |p(n)| / n^r
        late, later = ratio[n >= given.upper_from], ratio[n >= given.lower_from]
        return [float(late.max()), float((1 / later).max())]

    def tight(self) -> Given:
        """The power alone: C is its coefficient."""
        c = torch.zeros(self.degree + 1, dtype=torch.float64)
        c[-1] = 1.0
        return Given(c, 1.0, 1.0)
