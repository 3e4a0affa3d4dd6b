r"""The union bound over a finite class.

For N functions with values in [0, 1], chosen before the n i.i.d. samples, with probability at least
:math:`1-\delta` all of them at once satisfy

.. math:: |R(f)-R_S(f)|\le\sqrt{\frac{\log N+\log(2/\delta)}{2n}} .

On one side, :math:`P(\sup_f(R-R_S)\ge\epsilon)\le Ne^{-2n\epsilon^2}`. The price of N functions is
:math:`\log N`; without it the bound for one function is broken by the largest of them.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 8.1 and 8.2, Equations 8.12 and 8.13.
:kind: bound
:cost: instant
:covers: union-bound-finite-class
:erratum: [possible OCR artefact] Equation 8.13 shows R(f) - R_S(f) + sqrt(...) without a relation;
    R(f) <= R_S(f) + sqrt(...) is meant, as in Section 8.1. With the one-sided 8.12 log(1/delta) in
    place of log(2/delta) is enough.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Count,
    Curve,
    Figure,
    Histogram,
    Hypothesis,
    Level,
    Points,
    at_most,
    option,
)
from corollary.theory.generalization.deviations import hoeffding_deviation, upper_quantile
from corollary.theory.generalization.finite_class import (
    finite_class_deviation,
    finite_class_probability,
    largest_deviation,
)


class Given(NamedTuple):
    """Risks of the functions, their empirical risks on repeated samples, and how many they are."""

    risks: Float[Tensor, " k"]
    empirical: Float[Tensor, "t k"]
    n: int
    N: int  # the number that the bound is told

    def suprema(self) -> Float[Tensor, " t"]:
        """The largest deviation of each sample."""
        return largest_deviation(self.risks, self.empirical)


@dataclass(frozen=True)
class UnionBound(Claim[Given]):
    """How often one of N functions strays further than promised."""

    N: int = option(100, low=1, high=1000)  # functions
    n: int = option(200, low=10, high=2000)  # samples
    delta: float = option(0.1, low=0.02, high=0.5)  # probability of failure
    trials: int = option(10000, low=1000, high=20000)  # repetitions
    relation = at_most(level=0.999)  # the exact binomial interval of the failure rate

    def given(self, rng: Generator) -> Given:
        """Classifiers with independent errors and risks around 1/2."""
        risks = 0.4 + 0.2 * torch.rand(self.N, generator=rng, dtype=torch.float64)
        return Given(risks, _empirical(risks, self.n, self.trials, rng), self.n, self.N)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The number of functions."""
        k = len(given.risks)
        yield Hypothesis("the class has at most N functions", k <= given.N, f"it has {k}")

    def predict(self, given: Given) -> float:
        """The bound at the deviation for delta: delta itself."""
        return finite_class_probability(given.N, given.n, self._eps(given))

    def measure(self, given: Given) -> Count:
        """Samples on which some function is off by more."""
        off = given.suprema()
        return Count(int((off > self._eps(given)).sum()), len(off))

    def counterexample(self, rng: Generator) -> Given:
        """The bound for one function, applied to whichever of them is worst."""
        return self.given(rng)._replace(N=1)

    def _eps(self, given: Given) -> float:
        return finite_class_deviation(given.N, given.n, self.delta)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """One deviation and the largest of N; and the price of N."""
        one = (given.empirical[:, 0] - given.risks[0]).abs()
        bars = Figure(
            f"One function, and the worst of {given.N}",
            x="|R − R_S|",
            y="density over samples",
            marks=(
                Histogram(given.suprema(), label=f"the worst of {given.N}"),
                Histogram(one, label="one function", role="other", bins=25),
                Level(
                    hoeffding_deviation(given.n, self.delta),
                    label="bound for one",
                    role="other",
                    axis="x",
                ),
                Level(self._eps(given), label=f"bound for {given.N}", axis="x"),
            ),
        )
        counts = [k for k in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512) if k < given.N] + [given.N]
        off = [largest_deviation(given.risks[:k], given.empirical[:, :k]) for k in counts]
        price = Figure(
            "Every function costs, but only its logarithm",
            x="N",
            y="sup |R − R_S|",
            log_x=True,
            marks=(
                Curve(
                    [finite_class_deviation(k, given.n, self.delta) for k in counts],
                    counts,
                    label="√((log N + log(2/δ))/2n)",
                    role="predicted",
                ),
                Points(
                    counts,
                    [upper_quantile(e, self.delta) for e in off],
                    label=f"{1 - self.delta:g} quantile",
                ),
                Curve([float(e.mean()) for e in off], counts, label="mean", role="other"),
            ),
        )
        return bars, price


def _empirical(risks: Tensor, n: int, trials: int, rng: Generator) -> Tensor:
    """Error rates of independent classifiers on samples of size n."""
    size = torch.full((trials, len(risks)), float(n), dtype=torch.float64)
    return torch.binomial(size, risks.expand(trials, -1), generator=rng) / n
