r"""Compactness of an interval: a greedy algorithm finds the smallest finite subcover.

Let open intervals cover :math:`[a,b]`. From the first point that is not covered yet take the
interval around it that reaches furthest, until b is covered: that is a subcover, and no other has
fewer intervals,

.. math:: |\text{greedy}|=\min\Bigl\{|I|:[a,b]\subset\bigcup_{i\in I}(l_i,r_i)\Bigr\}.

It needs a closed set. Of the intervals :math:`(1/i,2)`, which cover :math:`(0,1]`, no finitely many
do.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.6, Definitions 13 to 16; Borel
    (1895), "Sur quelques points de la théorie des fonctions".
:kind: algorithm
:covers: closed-sets-density-compactness
:scale-free: all numbers are counts of intervals.
"""

from itertools import combinations
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Suppose, Sweep, equals, option, uniform
from corollary.theory.prerequisites.topology import Interval, closure, finite_subcover

Open = tuple[float, float]


class Given(NamedTuple):
    K: Interval  # the set to cover
    intervals: tuple[Open, ...]  # without their ends


def covers(K: Interval, intervals: tuple[Open, ...]) -> bool:
    """Whether the union of the open intervals contains K; ends that just touch leave a hole."""
    reach, closed = float(K.low), K.low_in
    for low, high in sorted(intervals):
        if low < reach or (low == reach and not closed):
            reach, closed = (high, True) if high > reach else (reach, closed)
    return reach > K.high


class CompactInterval(Claim[Given]):
    intervals: int = option(10, low=4, high=12)  # open intervals
    width: float = option(0.35, low=0.2, high=1.0)  # largest width

    relation = equals()  # counts
    supposes = (
        Suppose(
            "the set is closed",
            lambda g: closure([g.K]) == (g.K,),
            "The half-open interval (0, 1] is covered by all (1/i, 2), but not by finitely many.",
            lambda: Given(Interval(0, 1, low_in=False), tuple((1 / i, 2.0) for i in range(1, 9))),
        ),
        Suppose("the intervals cover it", lambda g: covers(*g)),
    )
    symbols = "intervals of the greedy subcover", "fewest intervals"
    shows = Sweep(
        "Wider intervals give smaller subcovers", "width", (0.25, 0.35, 0.5, 0.7, 1.0), log=""
    )

    def given(self, rng: Generator) -> Given:
        """Centres that are spread evenly, so that they cover, and widths that are drawn."""
        centres = torch.linspace(0, 1, self.intervals, dtype=torch.float64)
        gap = 1 / (self.intervals - 1)
        half = gap / 2 + 1e-6 + uniform(rng, self.intervals) * max(self.width - gap, 0.0) / 2
        pairs = torch.stack([centres - half, centres + half], dim=1)
        return Given(Interval(0, 1), tuple((low, high) for low, high in pairs.tolist()))

    def predict(self, given: Given) -> float:
        found = finite_subcover(given.K.low, given.K.high, given.intervals)
        return float(len(found.chosen))

    def measure(self, given: Given) -> float:
        """By trying all, from single intervals up; more than there are if none will do."""
        sizes = range(1, len(given.intervals) + 1)
        tried = (
            size
            for size in sizes
            for part in combinations(given.intervals, size)
            if covers(given.K, part)
        )
        return float(next(tried, len(given.intervals) + 1))
