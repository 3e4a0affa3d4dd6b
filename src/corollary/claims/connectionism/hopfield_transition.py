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
:uses: hopfield_crosstalk
:covers: hopfield-capacity-phase-transition
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Series, Suppose, Trial, converges, generator, option
from corollary.core.picture import Curve, Level, Marks, Points, picture
from corollary.data.patterns import orthogonal_patterns, random_patterns
from corollary.models.hopfield import Hopfield
from corollary.theory.connectionism.hopfield.storage import overlap, squared_overlap
from corollary.theory.connectionism.hopfield.transition import critical_load, retrieval_overlap

LOADS = (0.10, 0.12, 0.14, 0.15, 0.16, 0.17, 0.18, 0.20, 0.24)
LOST = 0.8  # theory has no retrieval state with an overlap between 0 and 0.967
PROBES = 16  # stored patterns started from in each network


class Given(NamedTuple):
    loads: tuple[float, ...]  # s/n, growing
    patterns: Callable[[int, int, Generator], Tensor]  # how they are drawn
    neurons: int  # neurons simulated per point, so that small networks are averaged more

    def end_overlap(self, s: int, n: int, rng: Generator) -> float:
        """Mean overlap of the end with the pattern it started from."""
        P = self.patterns(s, n, rng)
        probes = P[:PROBES]
        return float(overlap(Hopfield.store(P).async_run(probes).states, probes).mean())


def signs(s: int, n: int, rng: Generator) -> Float[Tensor, "s n"]:
    """Independent fair signs; fields are whole numbers below 2^24, so float32 is exact."""
    return random_patterns(s, n, rng=rng, dtype=torch.float32)


def orthogonal(s: int, n: int, rng: Generator) -> Float[Tensor, "s n"]:
    """Rows of a Hadamard matrix."""
    return orthogonal_patterns(s, 2 ** round(math.log2(n)), rng=rng, dtype=torch.float32)


def fair(given: Given) -> tuple[bool, str]:
    """Five standard deviations of the mean squared overlap."""
    value = squared_overlap(given.patterns(100, 256, generator(0, "patterns")))
    return abs(value - 1) <= 0.1, f"n times the mean squared overlap is {value:.3f}"


class HopfieldTransition(Claim[Given]):
    sizes: tuple[int, ...] = option((200, 400, 800, 1600), low=64, high=8192)  # neurons n
    neurons: int = option(3200, low=256, high=10**6)  # neurons simulated for each size and load

    relation = converges(
        gap=0.03, coarse="at n = 1600 the load is still some 0.015 above its limit of 0.138"
    )
    supposes = Suppose(
        "the patterns overlap as independent fair signs do",
        fair,
        "Orthogonal patterns are never lost.",
        patterns=lambda g: orthogonal,
        loads=(0.1, 0.2, 0.3),
        neurons=256,
    )
    symbols = "α_c", "load at which retrieval is lost"
    predicts = critical_load()

    def given(self, rng: Generator) -> Given:
        return Given(LOADS, signs, self.neurons)

    def measure(self, given: Given, rng: Generator) -> Kept:
        found = []  # size by load by network
        for n in self.sizes:
            runs = range(max(2, given.neurons // n))
            stored = [round(load * n) for load in given.loads]
            found.append([[given.end_overlap(s, n, rng) for _ in runs] for s in stored])
        means = [[sum(v) / len(v) for v in row] for row in found]
        lost = [_crossing(given.loads, row) for row in means]
        return Kept(Series(self.sizes, lost), means=means, largest=found[-1])

    @picture(
        "Retrieval of stored patterns", x="load α = s/n", y="overlap m of the end with the pattern"
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        loads, n = trial.given.loads, self.sizes[-1]
        *others, mean = trial.kept.means
        low, high = (list(map(end, trial.kept.largest)) for end in (min, max))
        for size, row in zip(self.sizes, others, strict=False):
            yield Curve(row, x=loads, label=f"n = {size}", role="other")
        yield Curve(mean, x=loads, label=f"n = {n}")
        yield Points(loads, mean, low=low, high=high, label=f"n = {n}, range over networks")
        below = torch.linspace(0.09, critical_load() * (1 - 1e-9), 60, dtype=torch.float64).tolist()
        x = [*below, critical_load(), max(loads)]  # and the fall to zero
        theory = [*map(retrieval_overlap, below), 0.0, 0.0]
        yield Curve(theory, x=x, label="mean-field theory", role="predicted")
        yield Level(critical_load(), label="α_c ≈ 0.138", axis="x")


def _crossing(loads: tuple[float, ...], means: list[float]) -> float:
    """The load where the overlap passes ``LOST``, between the two loads around it."""
    for i in range(1, len(loads)):
        if means[i] < LOST:
            share = (means[i - 1] - LOST) / (means[i - 1] - means[i])
            return loads[i - 1] + share * (loads[i] - loads[i - 1])
    return loads[-1]
