r"""Dense memories hold n^(p-1) patterns.

A dense associative memory with energy :math:`-\sum_t \langle x_t, X\rangle^p` and :math:`K`
patterns of independent fair signs has a wrong bit with probability about
:math:`\frac12 \operatorname{erfc} \sqrt{n^{p-1} / (2K(2p-3)!!)}`. The number of patterns at which
one bit in a hundred is wrong therefore grows like

.. math:: K \propto n^{p-1},

linearly for Hopfield's :math:`p = 2`, quadratically for :math:`p = 3`. It does not grow at all if
the patterns resemble each other.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Krotov and Hopfield (2016), "Dense
    associative memory for pattern recognition", Section 2.
:kind: rate
:cost: seconds
:covers: dense-associative-memory
:scale-free: an exponent is compared; the factor of the capacity does not matter
"""

import math
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, generator, option, slope
from corollary.data.patterns import random_patterns
from corollary.theory.connectionism.hopfield.dense import dense_capacity
from corollary.theory.connectionism.hopfield.storage import squared_overlap

WRONG = 0.01  # share of wrong bits at which the memory counts as full
PROBES = 16  # stored patterns looked at in each memory


class Given(NamedTuple):
    sizes: tuple[int, ...]  # neurons n
    power: int  # p
    memories: int  # independent memories per size
    share: float = 0.5  # probability of a +1 in a pattern


def fair(given: Given) -> tuple[bool, str]:
    """Five standard deviations of the mean squared overlap."""
    value = squared_overlap(random_patterns(100, 200, p=given.share, rng=generator(0, "patterns")))
    return abs(value - 1) <= 0.1, f"n times the mean squared overlap is {value:.3f}"


class DenseMemoryCapacity(Claim[Given]):
    power: int = option(3, low=2, high=4)  # p
    sizes: tuple[int, ...] = option((24, 32, 48, 64, 80), low=12, high=512)  # neurons n
    memories: int = option(40, low=1, high=1000)  # independent memories per size

    relation = slope(gap=0.25)  # corrections of order 1/n at these n, and sampling
    supposes = Suppose(
        "the patterns overlap as independent fair signs do",
        fair,
        "Nine signs in ten are +1: any two patterns share most of them.",
        share=0.9,
        memories=1,
    )
    symbols = "n^(p−1)", "patterns held with one wrong bit in a hundred"
    shows = Over("Patterns held with one wrong bit in a hundred", x="neurons n")

    def given(self, rng: Generator) -> Given:
        return Given(self.sizes, self.power, self.memories)

    def predict(self, given: Given) -> float:
        return given.power - 1.0

    def measure(self, given: Given, rng: Generator) -> Series:
        held = []
        for n in given.sizes:
            most = int(0.35 * dense_capacity(n, given.power) * 2 * math.log(n)) + 8
            errors = sum(_errors(n, most, given, rng) for _ in range(given.memories))
            full = torch.as_tensor(errors / given.memories >= WRONG).nonzero()
            held.append(float(full[0]) + 1 if len(full) else float(most))
        return Series(given.sizes, held)


def _errors(n: int, most: int, given: Given, rng: Generator) -> Tensor:
    """Share of wrong bits of a stored pattern beside 0, 1, ..., most - 1 others."""
    x = random_patterns(PROBES, n, p=given.share, rng=rng)
    others = random_patterns(most - 1, n, p=given.share, rng=rng)
    a = x[:, None] * others  # (probes, others, n): +1 where the pattern agrees with the probe
    rest = a.sum(-1, keepdim=True) - a  # what the other neurons say
    disturbance = a * ((rest + 1) ** given.power - (rest - 1) ** given.power)
    own = float(n**given.power - (n - 2) ** given.power)
    saved = own + torch.cat([torch.zeros_like(a[:, :1]), disturbance.cumsum(1)], 1)
    return (saved < 0).double().mean((0, 2))
