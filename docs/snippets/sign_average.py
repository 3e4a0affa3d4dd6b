r"""Average of signs.

For independent fair signs :math:`s_1, \dots, s_n` and :math:`t > 0`

.. math:: \Pr\left[\,|\bar s_n| \ge t\,\right] \le 2 e^{-n t^2 / 2}.

:source: Hoeffding (1963), "Probability inequalities for sums of bounded random variables",
    Theorem 2.
:kind: bound
:beyond: This claim is the example of the page on writing claims.
"""

from math import exp, sqrt
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Count, Suppose, Sweep, at_most, option


class Given(NamedTuple):
    s: Float[Tensor, "trials n"]  # signs, -1 or +1


def signs(trials: int, n: int, rng: Generator, chance: float = 0.5) -> Given:
    """Each sign is +1 with the given chance."""
    return Given(2 * (torch.rand(trials, n, generator=rng) < chance).double() - 1)


def unfair(given: Given, rng: Generator) -> Given:
    """Signs that are +1 nine times out of ten: their averages stay near 0.8."""
    return signs(*given.s.shape, rng, chance=0.9)


class SignAverage(Claim[Given]):
    n: int = 50  # signs in an average
    trials: int = 2000  # averages drawn
    t: float = option(0.3, low=0.01, high=1.0)  # distance from zero

    relation = at_most(level=0.99)  # a frequency: exact binomial interval
    supposes = Suppose(
        "the mean of all signs is within five standard errors of zero",
        lambda given: 5 / sqrt(given.s.numel()) - given.s.mean().abs(),
        without=unfair,
    )
    symbols = "2 exp(-n t²/2)", "share of averages beyond t"
    shows = Sweep("Far averages are rare", "t", (0.1, 0.2, 0.3, 0.4), x="distance t")

    def given(self, rng: Generator) -> Given:
        return signs(self.trials, self.n, rng)

    def predict(self, given: Given) -> float:
        return 2 * exp(-given.s.shape[1] * self.t**2 / 2)

    def measure(self, given: Given) -> Count:
        far = given.s.mean(dim=1).abs() >= self.t
        return Count(int(far.sum()), len(far))

    def tight(self, rng: Generator) -> Given:
        """A single sign is always at distance 1."""
        return signs(self.trials, 1, rng)
