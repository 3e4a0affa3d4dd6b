r"""Polynomials grow like their leading term.

For :math:`p(n)=\sum_{i\le r}c_in^i` with :math:`c_r\ne0`

.. math:: |p(n)|\le\Bigl(\sum_i|c_i|\Bigr)n^r\ (n\ge1),\qquad
   |p(n)|\ge\frac{|c_r|}2\,n^r\ \Bigl(n\ge\frac2{|c_r|}\sum_{i<r}|c_i|\Bigr),

so :math:`p=O(n^r)` and :math:`p=\Omega(n^r)` with these constants, and :math:`p=o(n^{r+1})`.
Measured: the largest :math:`|p|/n^r` and :math:`n^r/|p|` from where the constants hold.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.1 and Figure 12.3; Knuth (1976),
    "Big omicron and big omega and big theta".
:kind: bound
:cost: instant
:covers: asymptotic-notation
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, at_most, loglog_fit, option
from corollary.theory.robustness.asymptotics import Witness, polynomial_constants


class Given(NamedTuple):
    """Coefficients, lowest first, and the sizes from which the two inequalities are read."""

    coefficients: Float[Tensor, " m"]
    upper_from: float
    lower_from: float


class PolynomialGrowth(Claim[Given]):
    degree: int = option(4, low=1, high=8)  # of the polynomial
    largest: int = option(10000, low=100, high=10**6)  # size up to which ratios are taken
    relation = at_most(ulps=64)  # sums of a few terms

    def given(self, rng: Generator) -> Given:
        """Normal coefficients, the last of size 1 at least."""
        c = torch.randn(self.degree + 1, generator=rng, dtype=torch.float64)
        c[-1] = c[-1] + c[-1].sign()
        upper, lower = polynomial_constants(c)
        return Given(c, upper.first, lower.first)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """From where the constants hold."""
        upper, lower = self._constants(given)
        late = given.upper_from >= upper.first and given.lower_from >= lower.first
        yield Hypothesis("the sizes are beyond N", late)

    def predict(self, given: Given) -> list[float]:
        """C, and 1/C'."""
        upper, lower = self._constants(given)
        return [upper.constant, 1 / lower.constant]

    def measure(self, given: Given) -> list[float]:
        """The largest ratios."""
        n = self._sizes()
        ratio = _values(given.coefficients, n).abs() / n**self.degree
        return [
            float(ratio[n >= given.upper_from].max()),
            float((1 / ratio[n >= given.lower_from]).max()),
        ]

    def counterexample(self, rng: Generator) -> Given:
        """A polynomial that vanishes at n = 2, read from there."""
        c = torch.zeros(self.degree + 1, dtype=torch.float64)
        c[-1], c[-2] = 1.0, -2.0
        return Given(c, 1.0, 2.0)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The polynomial between its constants, and the three examples of the notes."""
        n = torch.logspace(0, 3, 61, dtype=torch.float64)
        upper, lower = self._constants(given)
        ratio = _values(given.coefficients, n).abs() / n**self.degree
        band = Figure(
            "A polynomial over its leading power",
            x="n",
            y="|p(n)| / n^r",
            log_x=True,
            marks=(
                Curve(ratio, n, label="|p(n)| / n^r"),
                Level(upper.constant, label="C, from n = 1 on"),
                Level(lower.constant, label=f"C′, from n = {lower.first:.3g} on"),
            ),
        )
        whole = torch.logspace(0.7, 3, 24, dtype=torch.float64)
        examples = {
            "(6n⁴−2n³+5)/n⁴": (6 * whole**4 - 2 * whole**3 + 5) / whole**4,
            "(3n+4)/n": (3 * whole + 4) / whole,
            "n²/n³": 1 / whole,
        }
        roles = ("measured", "measured", "other")
        fits = [loglog_fit(whole[12:].tolist(), v[12:].tolist()).slope for v in examples.values()]
        notes = Figure(
            "Ratios that settle (O and Ω) and one that vanishes (o)",
            x="n",
            y="f(n)/g(n)",
            log_x=True,
            log_y=True,
            marks=tuple(
                Curve(v, whole, label=f"{name}: slope {fit:.2f}", role=role)
                for (name, v), fit, role in zip(examples.items(), fits, roles, strict=True)
            ),
        )
        return band, notes

    def _constants(self, given: Given) -> tuple[Witness, Witness]:
        return polynomial_constants(given.coefficients)

    def _sizes(self) -> Tensor:
        return torch.arange(1, self.largest + 1, dtype=torch.float64)


def _values(coefficients: Tensor, n: Tensor) -> Tensor:
    powers = torch.arange(len(coefficients), dtype=n.dtype)
    return (n[:, None] ** powers) @ coefficients
