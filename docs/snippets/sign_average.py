r"""Average of signs.

For independent fair signs :math:`s_1, \dots, s_n` and :math:`t > 0`

.. math:: \Pr\left[\,|\bar s_n| \ge t\,\right] \le 2 e^{-n t^2 / 2}.

:source: Hoeffding (1963), "Probability inequalities for sums of bounded random variables",
    Theorem 2.
:kind: bound
:cost: instant
:beyond: It is the example of these pages.
"""

from collections.abc import Iterator
from math import exp
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Count, Figure, Histogram, Hypothesis, Level, at_most, option


class Given(NamedTuple):
    """Repeated averages, and how likely a +1 was."""

    averages: Tensor  # one per trial
    chance: float


class SignAverage(Claim[Given]):
    """How often an average of signs is far from zero, against Hoeffding's bound."""

    n: int = 50  # signs in an average
    trials: int = 2000  # averages drawn
    t: float = option(0.3, low=0.01, high=1.0)  # distance from zero
    relation = at_most(level=0.99)  # a frequency: exact binomial interval

    def given(self, rng: Generator, chance: float = 0.5) -> Given:
        """Averages of fair signs."""
        ones = torch.rand(self.trials, self.n, generator=rng, dtype=torch.float64) < chance
        return Given(2 * ones.double().mean(dim=1) - 1, chance)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The signs are fair."""
        yield Hypothesis("both signs are equally likely", given.chance == 0.5)

    def predict(self, given: Given) -> float:
        """Hoeffding's bound."""
        return 2 * exp(-self.n * self.t**2 / 2)

    def measure(self, given: Given) -> Count:
        """How many averages were far from zero."""
        return Count(int((given.averages.abs() >= self.t).sum()), self.trials)

    def counterexample(self, rng: Generator) -> Given:
        """Signs that are +1 nine times out of ten."""
        return self.given(rng, chance=0.9)

    def figure(self, given: Given) -> Figure:
        """All averages, with the distance asked about."""
        marks = (
            Histogram(given.averages, label="averages drawn"),
            Level(self.t, label="t", axis="x"),
        )
        return Figure("Averages of signs", x="average of n signs", y="density", marks=marks)
