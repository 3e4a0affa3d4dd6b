r"""Exact recall up to n / (2 ln n) patterns.

Store :math:`s \le n / (2 \ln n)` patterns of independent fair signs by the Hebb rule without
diagonal. The expected number of unstable bits of a given pattern is at most

.. math:: n \, P\big(\mathcal N(0, s/n) \ge 1\big) \le \frac{1}{\sqrt{4 \pi \ln n}} \to 0,

so the pattern is a fixed point with probability tending to 1. At
:math:`s = c\,n / (2 \ln n)` with :math:`c > 1` the number grows without bound, like
:math:`n^{1 - 1/c}`.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; McEliece, Posner, Rodemich and Venkatesh
    (1987), "The capacity of the Hopfield associative memory".
:kind: bound
:cost: seconds
:covers: hopfield-sublinear-capacity
:erratum: [loose] The notes print s <= n / (2 log_2 n). The sharp threshold has the natural
    logarithm; the printed one is sufficient but smaller by the factor ln 2 = 0.693. At n = 1e8 the
    expected number of wrong bits is 1.5e-5 there, 0.064 at n / (2 ln n) and 5.1 at 1.3 times that.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, at_most, option
from corollary.data.patterns import random_patterns
from corollary.theory.connectionism.hopfield.capacity import (
    expected_wrong_bits,
    hopfield_capacity,
    wrong_bits_bound,
)
from corollary.theory.connectionism.hopfield.states import sign
from corollary.theory.connectionism.hopfield.storage import hebbian_field


class Given(NamedTuple):
    """Networks to be drawn from a seed."""

    sizes: tuple[int, ...]  # neurons n
    stored: tuple[int, ...]  # patterns s, one number a size
    patterns: int  # stored patterns looked at for each size, over all networks
    seed: int


@dataclass(frozen=True)
class HopfieldCapacity(Claim[Given]):
    """Unstable bits of a stored pattern at the capacity, for growing networks."""

    sizes: tuple[int, ...] = option((125, 500, 2000), low=16, high=8000)  # neurons n
    patterns: int = option(12_000, low=100, high=10**6)  # stored patterns looked at a size
    relation = at_most()  # the interval of the mean over networks has to be below the bound

    def given(self, rng: Generator) -> Given:
        """As many patterns as the capacity allows."""
        stored = tuple(int(hopfield_capacity(n)) for n in self.sizes)
        return Given(
            self.sizes, stored, self.patterns, int(torch.randint(2**31, (1,), generator=rng))
        )

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Not more than the capacity."""
        pairs = zip(given.sizes, given.stored, strict=True)
        fits = all(s <= hopfield_capacity(n) for n, s in pairs)
        yield Hypothesis("there are at most n / (2 ln n) patterns", fits, f"s = {given.stored}")

    def predict(self, given: Given) -> list[float]:
        """The bound for each size."""
        return [wrong_bits_bound(n) for n in given.sizes]

    def measure(self, given: Given) -> list[Sample]:
        """Unstable bits a pattern, one mean a network."""
        return [Sample(counts) for counts in _wrong_bits(given)]

    def counterexample(self, rng: Generator) -> Given:
        """30 % more patterns."""
        given = self.given(rng)
        stored = tuple(math.ceil(1.3 * hopfield_capacity(n)) for n in given.sizes)
        return given._replace(stored=stored, patterns=max(self.patterns // 8, 100))

    def figure(self, given: Given) -> Figure:
        """Expected wrong bits by size, at, below and above the capacity."""
        reads = [Sample(v).read(0.99) for v in _wrong_bits(given)]
        n = torch.logspace(math.log10(min(given.sizes)), 8, 60, dtype=torch.float64).tolist()
        marks = [
            Points(
                given.sizes,
                [r.value for r in reads],
                low=[r.low for r in reads],
                high=[r.high for r in reads],
                label="unstable bits a pattern at s = n/(2 ln n), 99 % interval",
            ),
            Curve([wrong_bits_bound(v) for v in n], x=n, label="1/√(4π ln n)", role="predicted"),
        ]
        factors = {"1.3 n/(2 ln n)": 1.3, "n/(2 ln n)": 1.0, "n/(2 log₂ n)": math.log(2)}
        for name, c in factors.items():
            y = [expected_wrong_bits(v, c * hopfield_capacity(v)) for v in n]
            marks.append(Curve(y, x=n, label=f"normal law, s = {name}", role="other", dashed=True))
        return Figure(
            "Wrong bits of a stored pattern",
            x="neurons n",
            y="expected unstable bits",
            marks=tuple(marks),
            log_x=True,
            log_y=True,
        )


@lru_cache(maxsize=4)
def _wrong_bits(given: Given) -> list[list[float]]:
    """Size by network: unstable bits a stored pattern."""
    rng = torch.Generator().manual_seed(given.seed)
    out = []
    for n, s in zip(given.sizes, given.stored, strict=True):
        networks = max(4, math.ceil(given.patterns / s))
        out.append([_count(s, n, rng) for _ in range(networks)])
    return out


def _count(s: int, n: int, rng: Generator) -> float:
    # whole numbers below 2^24 until the last division: float32 is exact
    P = random_patterns(s, n, rng=rng, dtype=torch.float32)
    return float((sign(hebbian_field(P, P)) != P).sum()) / s
