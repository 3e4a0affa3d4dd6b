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
:scale-free: theory only tests the hypothesis; what is measured is the memory itself.
"""

from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Over, Series, Suppose, generator, near, option, slope
from corollary.data.patterns import random_patterns
from corollary.models.dense_memory import DenseAssociativeMemory
from corollary.theory.connectionism.hopfield.storage import squared_overlap

WRONG = 0.01  # share of wrong bits at which the memory counts as full


class Given(NamedTuple):
    sizes: tuple[int, ...]  # neurons n
    power: int  # p
    memories: int  # independent memories per size
    share: float = 0.5  # probability of a +1 in a pattern

    def wrong_bits(self, n: int, K: int, rng: Generator) -> float:
        """The share of bits that one update of K stored patterns changes."""
        runs = [random_patterns(K, n, p=self.share, rng=rng) for _ in range(self.memories)]
        after = [DenseAssociativeMemory(P, power=self.power)(P) for P in runs]
        return float((torch.stack(after) != torch.stack(runs)).double().mean())

    def held(self, n: int, rng: Generator) -> float:
        """The number of patterns at which WRONG is passed: doubled, halved, interpolated."""
        low, high, few, many = 1, 2, 0.0, self.wrong_bits(n, 2, rng)
        while many < WRONG:
            low, high, few, many = high, 2 * high, many, self.wrong_bits(n, 2 * high, rng)
        while high - low > 1 + low // 8:
            K = (low + high) // 2
            wrong = self.wrong_bits(n, K, rng)
            low, few, high, many = (K, wrong, high, many) if wrong < WRONG else (low, few, K, wrong)
        return low + (high - low) * (WRONG - few) / (many - few)


class DenseMemoryCapacity(Claim[Given]):
    power: int = option(3, low=2, high=4)  # p
    sizes: tuple[int, ...] = option((24, 32, 48, 64, 80), low=12, high=512)  # neurons n
    memories: int = option(12, low=1, high=1000)  # independent memories per size

    relation = slope(gap=0.25)  # corrections of order 1/n at these n, and sampling
    supposes = Suppose(
        "the patterns overlap as independent fair signs do",
        lambda g: near(
            squared_overlap(random_patterns(100, 200, p=g.share, rng=generator(0, "patterns"))),
            1.0,
            to=0.1,
        ),
        "Nine of ten signs are +1, so any two patterns agree in most bits.",
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
        return Series(given.sizes, [given.held(n, rng) for n in given.sizes])
