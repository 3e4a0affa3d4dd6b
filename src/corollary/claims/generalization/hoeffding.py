r"""Hoeffding's inequality for one function.

If :math:`f(Z)\in[a,b]` and f does not depend on the n i.i.d. samples,

.. math:: P\Bigl(\Bigl|\mathbb Ef(Z)-\frac1n\sum_if(Z_i)\Bigr|>\epsilon\Bigr)\le
   2\exp\Bigl(-\frac{2n\epsilon^2}{(b-a)^2}\Bigr),

so with probability at least :math:`1-\delta` the deviation is at most
:math:`(b-a)\sqrt{\log(2/\delta)/2n}`. The samples may be of any kind, but bounded they must be, and
f must have been chosen before them.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.1, Equation 8.1; Hoeffding (1963),
    "Probability inequalities for sums of bounded random variables", Theorem 2.
:kind: bound
:cost: instant
:covers: hoeffding-single-function
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Count,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Points,
    at_most,
    option,
)
from corollary.theory.generalization.deviations import hoeffding_deviation, hoeffding_probability

Law = Literal["coin", "uniform", "rare"]


class Given(NamedTuple):
    """Repeated samples of f(Z) with its expectation and the range it is said to have."""

    values: Float[Tensor, "t n"]
    mean: float
    a: float
    b: float

    def deviations(self) -> Float[Tensor, " t"]:
        """How far each sample's mean is off."""
        return (self.values.mean(dim=1) - self.mean).abs()


@dataclass(frozen=True)
class Hoeffding(Claim[Given]):
    """How often a mean strays further than promised."""

    n: int = option(100, low=1, high=1000)  # samples
    delta: float = option(0.1, low=0.01, high=0.9)  # probability of failure
    law: Law = "coin"  # of f(Z): a fair coin, uniform on [0, 1], or 1 with probability 1/10
    trials: int = option(20000, low=1000, high=50000)  # repetitions
    relation = at_most(level=0.999)  # the exact binomial interval of the failure rate

    def given(self, rng: Generator) -> Given:
        """Values in [0, 1]."""
        u = torch.rand(self.trials, self.n, generator=rng, dtype=torch.float64)
        p = {"coin": 0.5, "rare": 0.1, "uniform": 0.5}[self.law]
        return Given(u if self.law == "uniform" else (u < p).double(), p, 0.0, 1.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The range."""
        low, high = float(given.values.min()), float(given.values.max())
        yield Hypothesis(
            "the values lie in [a, b]",
            given.a <= low and high <= given.b,
            f"from {low:.3g} to {high:.3g}",
        )

    def predict(self, given: Given) -> float:
        """The bound at the deviation for delta: delta itself."""
        return hoeffding_probability(given.values.shape[1], self._eps(given), a=given.a, b=given.b)

    def measure(self, given: Given) -> Count:
        """Samples whose mean is off by more."""
        off = given.deviations()
        return Count(int((off > self._eps(given)).sum()), len(off))

    def counterexample(self, rng: Generator) -> Given:
        """Mostly 0, and 2n with probability 1/2n: the mean is 1, most samples see only 0."""
        n = self.n
        u = torch.rand(self.trials, n, generator=rng, dtype=torch.float64)
        return Given(2.0 * n * (u < 1 / (2 * n)), 1.0, 0.0, 1.0)

    def _eps(self, given: Given) -> float:
        return hoeffding_deviation(given.values.shape[1], self.delta, a=given.a, b=given.b)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The tail of the deviation, and how deviations shrink."""
        return self._tail(given), self._shrinking(given)

    def _tail(self, given: Given) -> Figure:
        n, off = given.values.shape[1], given.deviations()
        grid = [1.4 * self._eps(given) * i / 24 for i in range(1, 25)]
        found = [Count(int((off > e).sum()), len(off)).read(0.99) for e in grid]
        seen = [(e, r) for e, r in zip(grid, found, strict=True) if r.value > 0]
        return Figure(
            f"How often a mean of {n} values strays",
            x="ε",
            y="P(|mean − E f| > ε)",
            log_y=True,
            marks=(
                Curve(
                    [min(1.0, hoeffding_probability(n, e, a=given.a, b=given.b)) for e in grid],
                    grid,
                    label="2 exp(−2nε²/(b−a)²)",
                    role="predicted",
                ),
                Points(
                    [e for e, _ in seen],
                    [r.value for _, r in seen],
                    label="share of samples",
                    low=[max(r.low, 1e-6) for _, r in seen],
                    high=[r.high for _, r in seen],
                ),
                Level(self._eps(given), label="ε for δ", role="other", axis="x"),
            ),
        )

    def _shrinking(self, given: Given) -> Figure:
        sizes = [k for k in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if k <= self.n]
        off = [given._replace(values=given.values[:4000, :k]).deviations() for k in sizes]
        bound = [hoeffding_deviation(k, self.delta, a=given.a, b=given.b) for k in sizes]
        share = 1 - self.delta
        return Figure(
            f"With probability {share:g} the mean is closer than this",
            x="n",
            y="|mean − E f|",
            log_x=True,
            log_y=True,
            marks=(
                Curve(bound, sizes, label="(b−a)√(log(2/δ)/2n)", role="predicted"),
                Points(sizes, [float(e.quantile(share)) for e in off], label=f"{share:g} quantile"),
                Curve([float(e.mean()) for e in off], sizes, label="mean deviation", role="other"),
            ),
        )
