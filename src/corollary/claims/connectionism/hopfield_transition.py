r"""Retrieval transition of the Hopfield network.

Start a network loaded with :math:`s = \alpha n` random patterns at one of them and let it run.
Below

.. math:: \alpha_c = \max_y \tfrac12 \Big( \frac{\operatorname{erf} y}{y}
    - \tfrac{2}{\sqrt\pi} e^{-y^2} \Big)^2 \approx 0.138

it stays near the pattern, with overlap :math:`m > 0.96`; beyond, each wrong bit makes others wrong
and the pattern is lost in an avalanche. The load at which the mean overlap falls through 0.8 (any
level inside the jump would do) tends to :math:`\alpha_c` as :math:`n` grows, and the drop gets
steeper.
(Replica symmetry, which this :math:`\alpha_c` supposes, is broken close to it, so the true point
lies slightly off.)

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Amit, Gutfreund and Sompolinsky (1985),
    "Storing infinite numbers of patterns in a spin-glass model of neural networks".
:kind: experiment
:cost: seconds
:covers: hopfield-capacity-phase-transition
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Points,
    Series,
    converges,
    option,
)
from corollary.data.patterns import orthogonal_patterns, random_patterns
from corollary.models.hopfield import Hopfield
from corollary.theory.connectionism.hopfield.storage import overlap, squared_overlap
from corollary.theory.connectionism.hopfield.transition import critical_load, retrieval_overlap

LOADS = (0.10, 0.12, 0.14, 0.15, 0.16, 0.17, 0.18, 0.20, 0.24)
LOST = 0.8  # theory has no retrieval state with an overlap between 0 and 0.967
PROBES = 16  # stored patterns started from in each network


class Given(NamedTuple):
    """Networks to be drawn from a seed."""

    sizes: tuple[int, ...]  # neurons n
    loads: tuple[float, ...]  # s/n, growing
    neurons: int  # neurons simulated a point, so that small networks are averaged more
    seed: int
    orthogonal: bool  # patterns from a Hadamard matrix in place of random ones


@dataclass(frozen=True)
class HopfieldTransition(Claim[Given]):
    """The load at which retrieval is lost, for growing networks."""

    sizes: tuple[int, ...] = option((200, 400, 800, 1600), low=64, high=8192)  # neurons n
    neurons: int = option(3200, low=256, high=10**6)  # neurons simulated for each size and load
    relation = converges(gap=0.03)  # at n = 1600 the load is some 0.015 above its limit

    def given(self, rng: Generator) -> Given:
        """A seed for the patterns."""
        seed = int(torch.randint(2**31, (1,), generator=rng))
        return Given(self.sizes, LOADS, self.neurons, seed, False)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Random patterns."""
        s = round(given.loads[0] * given.sizes[0])
        rng = torch.Generator().manual_seed(given.seed)
        value = squared_overlap(_patterns(s, given.sizes[0], given, rng))
        yield Hypothesis(
            "the patterns overlap as independent fair signs do",
            abs(value - 1) <= 5 * 2 / s,
            f"n times the mean squared overlap is {value:.3f}",
        )

    def predict(self, given: Given) -> float:
        """The mean-field value."""
        return critical_load()

    def measure(self, given: Given) -> Series:
        """Where the mean overlap falls through the level."""
        means = [[sum(v) / len(v) for v in row] for row in _overlaps(given)]
        return Series(given.sizes, [_crossing(given.loads, row) for row in means])

    def counterexample(self, rng: Generator) -> Given:
        """Orthogonal patterns: nothing is ever lost."""
        return self.given(rng)._replace(orthogonal=True, loads=(0.1, 0.2, 0.3), neurons=256)

    def figure(self, given: Given) -> Figure:
        """Overlap against load, one line a size."""
        marks = []
        for n, row in zip(given.sizes, _overlaps(given), strict=True):
            mean = [sum(v) / len(v) for v in row]
            low, high = [min(v) for v in row], [max(v) for v in row]
            largest = n == given.sizes[-1]
            role = "measured" if largest else "other"
            marks.append(Curve(mean, x=given.loads, label=f"n = {n}", role=role))
            if largest:
                label = f"n = {n}, range over networks"
                marks.append(Points(given.loads, mean, low=low, high=high, label=label))
        below = torch.linspace(0.09, critical_load() * (1 - 1e-9), 60, dtype=torch.float64).tolist()
        x = [*below, critical_load(), max(given.loads)]  # and the fall to zero
        theory = [*map(retrieval_overlap, below), 0.0, 0.0]
        marks.append(Curve(theory, x=x, label="mean-field theory", role="predicted"))
        marks.append(Level(critical_load(), label="α_c ≈ 0.138", axis="x"))
        return Figure(
            "Retrieval of stored patterns",
            x="load α = s/n",
            y="overlap m of the end with the pattern",
            marks=tuple(marks),
        )


@lru_cache(maxsize=4)
def _overlaps(given: Given) -> list[list[list[float]]]:
    """Size by load by network: mean overlap of end and start."""
    rng = torch.Generator().manual_seed(given.seed)
    out = []
    for n in given.sizes:
        networks = max(2, given.neurons // n)
        rows = [
            [_end_overlap(round(load * n), n, given, rng) for _ in range(networks)]
            for load in given.loads
        ]
        out.append(rows)
    return out


def _end_overlap(s: int, n: int, given: Given, rng: Generator) -> float:
    P = _patterns(s, n, given, rng)
    probes = P[:PROBES]
    return float(overlap(Hopfield.store(P).async_run(probes).states, probes).mean())


def _patterns(s: int, n: int, given: Given, rng: Generator) -> Float[Tensor, "s n"]:
    # couplings are whole numbers and fields stay below 2^24: float32 is exact, and half the work
    if given.orthogonal:
        return orthogonal_patterns(s, 2 ** round(math.log2(n)), rng=rng, dtype=torch.float32)
    return random_patterns(s, n, rng=rng, dtype=torch.float32)


def _crossing(loads: tuple[float, ...], means: list[float]) -> float:
    """The load where the overlap passes ``LOST``, between the two loads around it."""
    for i in range(1, len(loads)):
        if means[i] < LOST:
            share = (means[i - 1] - LOST) / (means[i - 1] - means[i])
            return loads[i - 1] + share * (loads[i] - loads[i - 1])
    return loads[-1]
