r"""The complexity of a sum of classes.

.. math:: \hat{\mathcal R}_S(\mathcal F+\mathcal F')=
   \hat{\mathcal R}_S(\mathcal F)+\hat{\mathcal R}_S(\mathcal F'),\qquad
   \mathcal F+\mathcal F'=\{f+f':f\in\mathcal F,f'\in\mathcal F'\},

because the two suprema can be taken one after the other. The inequality of the notes is an equality
for the full sum; it is strict when only some pairs are allowed.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.5, Problem 1a; Bartlett and
    Mendelson (2002), "Rademacher and Gaussian complexities: risk bounds and structural results",
    Theorem 12.
:kind: identity
:cost: instant
:covers: rademacher-sum-of-classes
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.generalization.rademacher import rademacher_complexity, sum_of_classes


class Given(NamedTuple):
    """Two finite classes, and the sums that are allowed."""

    F: Float[Tensor, "a m"]
    G: Float[Tensor, "b m"]
    sums: Float[Tensor, "c m"]


@dataclass(frozen=True)
class RademacherSum(Claim[Given]):
    """The complexity of all sums against the sum of the complexities."""

    m: int = option(8, low=1, high=12)  # points
    a: int = option(5, low=1, high=40)  # functions of the first class
    b: int = option(7, low=1, high=40)  # functions of the second
    relation = equals(ulps=64, scale=1.0)  # sums over all signs of values of size 1

    def given(self, rng: Generator) -> Given:
        """Gaussian values, all sums."""
        F = torch.randn(self.a, self.m, generator=rng, dtype=torch.float64)
        G = torch.randn(self.b, self.m, generator=rng, dtype=torch.float64)
        return Given(F, G, sum_of_classes(F, G))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Every pair."""
        full = len(given.F) * len(given.G)
        yield Hypothesis(
            "every function of one class is added to every function of the other",
            len(given.sums) == full,
            f"{len(given.sums)} of {full} sums",
        )

    def predict(self, given: Given) -> float:
        """The sum of the complexities."""
        return rademacher_complexity(given.F) + rademacher_complexity(given.G)

    def measure(self, given: Given) -> float:
        """The complexity of the sums."""
        return rademacher_complexity(given.sums)

    def counterexample(self, rng: Generator) -> Given:
        """Only the first with the first, the second with the second, and so on."""
        F, G, _ = self.given(rng)
        k = min(len(F), len(G))
        return Given(F, G, F[:k] + G[:k])

    def figure(self, given: Given) -> Figure:
        """As the second class grows: all sums, and a random half of them."""
        sizes = list(range(1, len(given.G) + 1))
        base = rademacher_complexity(given.F)
        line = [base + rademacher_complexity(given.G[:k]) for k in sizes]
        full = [rademacher_complexity(sum_of_classes(given.F, given.G[:k])) for k in sizes]
        some = [rademacher_complexity(sum_of_classes(given.F, given.G[:k])[::3]) for k in sizes]
        return Figure(
            "Complexities add up",
            x="functions in F′",
            y="R_S(F + F′)",
            marks=(
                Curve(line, sizes, label="R_S(F) + R_S(F′)", role="predicted"),
                Points(sizes, full, label="all sums"),
                Points(sizes, some, label="every third sum", role="other"),
            ),
        )
