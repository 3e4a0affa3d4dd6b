r"""A monomial is a sum of powers of linear forms.

For a multi-index :math:`\alpha` of degree :math:`k=|\alpha|`

.. math:: x^\alpha=\frac1{k!}\sum_{0\le p\le\alpha}(-1)^{k-|p|}\prod_i\binom{\alpha_i}{p_i}
   \bigl((p-\tfrac\alpha2)\cdot x\bigr)^k,

for instance :math:`x_1x_2=\frac14[(x_1+x_2)^2-(x_1-x_2)^2]`. So sums of ridge functions contain
every polynomial, and are dense in :math:`C(K)`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.4, Theorem 21; Vostrecov and Kreines
    (1961), Approximation of continuous functions by superpositions of plane waves.
:kind: identity
:cost: instant
:covers: ridge-function-theorem
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.approximation.ridge_sums import RidgeSum, exponents, monomial_as_ridge_sum


class Given(NamedTuple):
    """A monomial, the sum of powers for it, and points."""

    alpha: tuple[int, ...]
    ridge: RidgeSum
    x: Float[Tensor, "k n"]


@dataclass(frozen=True)
class Polarisation(Claim[Given]):
    """A drawn monomial against its sum of powers."""

    n: int = option(3, low=1, high=5)  # variables
    k: int = option(4, low=1, high=7)  # degree
    points: int = option(40, low=1, high=10_000)  # points of comparison
    relation = equals(ulps=2**14, scale=1.0)  # terms that are larger than their sum cancel

    def given(self, rng: Generator) -> Given:
        """One of the monomials of the degree, and points of the cube [-1, 1]^n."""
        every = exponents(self.n, self.k)
        alpha = every[int(torch.randint(len(every), (1,), generator=rng))]
        x = 2 * torch.rand(self.points, self.n, generator=rng, dtype=torch.float64) - 1
        return Given(alpha, monomial_as_ridge_sum(alpha), x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The power is the degree."""
        yield Hypothesis("the linear forms are raised to the degree of the monomial",
                         given.ridge.degree == sum(given.alpha))  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """The monomial."""
        return given.x.pow(given.x.new_tensor(given.alpha)).prod(1).tolist()

    def measure(self, given: Given) -> list[float]:
        """The sum of powers."""
        return given.ridge(given.x).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """One power too many."""
        given = self.given(rng)
        return given._replace(ridge=given.ridge._replace(degree=given.ridge.degree + 1))

    def figure(self, given: Given) -> Figure:
        """One against the other."""
        predicted = self.predict(given)
        ends = [min(predicted), max(predicted)]
        return Figure(
            f"{len(given.ridge.weights)} powers of linear forms make a monomial",
            x="xᵅ",
            y="Σ c (θ·x)ᵏ",
            marks=(
                Curve(ends, ends, label="equality", role="predicted"),
                Points(predicted, self.measure(given), label="drawn points"),
            ),
        )
