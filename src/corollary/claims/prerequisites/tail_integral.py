r"""Expectation as a tail integral.

For a random variable :math:`X\ge0`

.. math:: \mathbb{E}X=\int_0^\infty\Pr(X\ge t)\,dt,

which for whole numbers is :math:`\sum_{k\ge1}\Pr(X\ge k)`. The formula sees nothing of negative
values: for X uniform on :math:`[-1,1]` it gives :math:`\frac14` in place of 0.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.5.
:kind: identity
:cost: instant
:covers: expectation-tail-integral
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.theory.prerequisites.densities import Density, integral, tail_expectation


class Law(NamedTuple):
    """A law by its density (or masses of whole numbers) and its survival function."""

    name: str
    density: Callable[[float], float]
    survival: Callable[[float], float]
    low: float = 0.0
    high: float = math.inf
    whole_numbers: bool = False


class Given(NamedTuple):
    """Several laws."""

    laws: tuple[Law, ...]


class TailIntegral(Claim[Given]):
    rate: float = option(2.0, low=0.1, high=10.0)  # of the exponential law, at most
    p: float = option(0.3, low=0.05, high=0.95)  # success probability of the geometric law
    relation = equals(ulps=2**20)  # adaptive quadrature to 1e-12 of tails that are cut at 1e-17

    def given(self, rng: Generator) -> Given:
        """Exponential with a drawn rate, geometric, and the modulus of a normal."""
        rate = self.rate * (0.5 + 0.5 * float(torch.rand(1, generator=rng, dtype=torch.float64)))
        p = self.p
        return Given(
            (
                Law(
                    "exponential",
                    lambda x: rate * math.exp(-rate * x),
                    lambda t: math.exp(-rate * t),
                ),
                Law(
                    "geometric",
                    lambda k: p * (1 - p) ** (k - 1) if k >= 1 else 0.0,
                    lambda t: (1 - p) ** max(math.ceil(t) - 1, 0),
                    whole_numbers=True,
                ),
                Law(
                    "|N(0, 1)|",
                    lambda x: math.sqrt(2 / math.pi) * math.exp(-x * x / 2),
                    lambda t: math.erfc(t / math.sqrt(2)),
                ),
            )
        )

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """All mass is at or above 0."""
        least = min(law.survival(0.0) for law in given.laws)
        yield Hypothesis("X is never negative", abs(least - 1) < 1e-12, f"Pr(X >= 0) = {least:.3g}")

    def predict(self, given: Given) -> list[float]:
        """By the densities."""
        return [_mean(law) for law in given.laws]

    def measure(self, given: Given) -> list[float]:
        """By the tails."""
        return [_tail(law) for law in given.laws]

    def counterexample(self, rng: Generator) -> Given:
        """Uniform on [-1, 1]."""
        law = Law("uniform", lambda x: 0.5, lambda t: min(max((1 - t) / 2, 0.0), 1.0), -1.0, 1.0)
        return Given((law,))

    def figure(self, given: Given) -> Figure:
        """Survival functions; the area under each is a mean."""
        t = [0.02 * i for i in range(301)]
        roles = ("measured", "other", "other")
        curves = tuple(
            Curve([law.survival(s) for s in t], t, f"{law.name}, area {_tail(law):.3g}", role)
            for law, role in zip(given.laws, roles, strict=False)
        )
        mean = Level(_mean(given.laws[0]), label=f"mean, {given.laws[0].name}", axis="x")
        return Figure(
            "The area under the survival function is the mean",
            x="t",
            y="Pr(X ≥ t)",
            marks=(*curves, mean),
        )


def _mean(law: Law) -> float:
    if not law.whole_numbers:
        return Density(law.density, law.low, law.high).expectation()
    return math.fsum(k * law.density(k) for k in range(1, 2000))


def _tail(law: Law) -> float:
    if math.isfinite(law.high):
        return integral(law.survival, 0.0, law.high)
    return tail_expectation(law.survival, whole_numbers=law.whole_numbers)
