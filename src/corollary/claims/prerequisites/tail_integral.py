r"""Expectation as a tail integral.

For a random variable :math:`X\ge0`

.. math:: \mathbb{E}X=\int_0^\infty\Pr(X\ge t)\,dt,

which for whole numbers is :math:`\sum_{k\ge1}\Pr(X\ge k)`. The formula sees nothing of negative
values: for X uniform on :math:`[-1,1]` it gives :math:`\frac14` in place of 0.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.5.
:kind: identity
:covers: expectation-tail-integral
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from torch import Generator

from corollary.core import Claim, Curve, Marks, Suppose, Trial, equals, option, picture, uniform
from corollary.theory.prerequisites.densities import Density, integral, tail_expectation


class Law(NamedTuple):
    density: Callable[[float], float]  # or masses of whole numbers
    survival: Callable[[float], float]
    low: float = 0.0
    high: float = math.inf
    whole_numbers: bool = False


class Given(NamedTuple):
    laws: tuple[Law, ...]


def uniform_around_zero(given: Given) -> Given:
    """For X uniform on [-1, 1], the tail integral is 1/4, but the mean is 0."""
    law = Law(lambda x: 0.5, lambda t: min(max((1 - t) / 2, 0.0), 1.0), -1.0, 1.0)
    return Given((law,) * len(given.laws))


class TailIntegral(Claim[Given]):
    rate: float = option(2.0, low=0.1, high=10.0)  # rate of the exponential law, at most
    p: float = option(0.3, low=0.05, high=0.95)  # success probability of the geometric law

    relation = equals(ulps=2**20)  # adaptive quadrature to 1e-12 of tails that are cut at 1e-17
    supposes = Suppose(
        "X is never negative",
        lambda g: min(law.survival(0.0) for law in g.laws) > 1 - 1e-12,
        without=uniform_around_zero,
    )
    symbols = "mean", "∫ Pr(X ≥ t) dt"
    rows = ("exponential", "geometric", "|N(0, 1)|")

    def given(self, rng: Generator) -> Given:
        rate, p = self.rate * (0.5 + 0.5 * float(uniform(rng, 1))), self.p
        geometric = Law(
            lambda k: p * (1 - p) ** (k - 1) if k >= 1 else 0.0,
            lambda t: (1 - p) ** max(math.ceil(t) - 1, 0),
            whole_numbers=True,
        )
        root = math.sqrt(2 / math.pi)
        normal = Law(lambda x: root * math.exp(-x * x / 2), lambda t: math.erfc(t / math.sqrt(2)))
        exponential = Law(lambda x: rate * math.exp(-rate * x), lambda t: math.exp(-rate * t))
        return Given((exponential, geometric, normal))

    def predict(self, given: Given) -> list[float]:
        def mean(law: Law) -> float:
            if law.whole_numbers:
                return math.fsum(k * law.density(k) for k in range(1, 2000))
            return Density(law.density, law.low, law.high).expectation()

        return [mean(law) for law in given.laws]

    def measure(self, given: Given) -> list[float]:
        def tail(law: Law) -> float:
            if math.isfinite(law.high):
                return integral(law.survival, 0.0, law.high)
            return tail_expectation(law.survival, whole_numbers=law.whole_numbers)

        return [tail(law) for law in given.laws]

    @picture("The area under the survival function is the mean", x="t", y="Pr(X ≥ t)")
    def marks(self, trial: Trial[Given]) -> Marks:
        t = [0.02 * i for i in range(301)]
        laws = zip(self.rows, trial.given.laws, trial.comparison.measured, strict=False)
        for name, law, area in laws:
            yield Curve([law.survival(s) for s in t], t, label=f"{name}, area {area.value:.3g}")
