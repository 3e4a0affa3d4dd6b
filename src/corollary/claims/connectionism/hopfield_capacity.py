r"""Hopfield capacity: exact recall of up to n / (2 ln n) patterns.

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
:uses: hopfield_bit_error
:covers: hopfield-sublinear-capacity
:erratum: [loose] The notes print s <= n / (2 log_2 n). The sharp threshold has the natural
    logarithm; the printed one is sufficient but smaller by the factor ln 2 = 0.693. At n = 1e8 the
    expected number of wrong bits is 1.5e-5 there, 0.064 at n / (2 ln n) and 5.1 at 1.3 times that.
"""

import math
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Sample, Suppose, Trial, at_most, generator, near, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.data.patterns import random_patterns
from corollary.theory.connectionism.hopfield.capacity import (
    expected_wrong_bits,
    hopfield_capacity,
    wrong_bits_bound,
)
from corollary.theory.connectionism.hopfield.states import sign
from corollary.theory.connectionism.hopfield.storage import hebbian_field, squared_overlap


class Given(NamedTuple):
    sizes: tuple[int, ...]  # neurons n
    stored: tuple[int, ...]  # patterns s, one number per size
    patterns: int  # stored patterns looked at for each size, over all networks
    share: float = 0.5  # probability of +1 in a pattern

    def wrong_bits(self, n: int, s: int, rng: Generator) -> float:
        """Unstable bits per pattern of a network; whole numbers, so float32 is exact."""
        P = random_patterns(s, n, p=self.share, rng=rng, dtype=torch.float32)
        return float((sign(hebbian_field(P, P)) != P).sum()) / s


def within_capacity(given: Given) -> tuple[bool, str]:
    """At each size."""
    pairs = zip(given.sizes, given.stored, strict=True)
    return all(s <= hopfield_capacity(n) for n, s in pairs), f"s = {given.stored}"


class HopfieldCapacity(Claim[Given]):
    sizes: tuple[int, ...] = option((125, 500, 2000), low=16, high=8000)  # neurons n
    patterns: int = option(12_000, low=100, high=10**6)  # stored patterns tested per size

    relation = at_most()  # the interval of the mean over networks has to be below the bound
    supposes = (
        Suppose(
            "there are at most n / (2 ln n) patterns",
            within_capacity,
            "With 30 % more patterns the wrong bits exceed the bound and grow with n.",
            stored=lambda g: tuple(math.ceil(1.3 * hopfield_capacity(n)) for n in g.sizes),
            patterns=lambda g: max(g.patterns // 8, 100),
        ),
        Suppose(
            "the patterns overlap as independent fair signs do",
            lambda g: near(
                squared_overlap(random_patterns(200, 400, p=g.share, rng=generator(0, "patterns"))),
                1.0,
                to=0.05,
            ),
            "Patterns in which six signs in ten are +1 disturb each other more.",
            share=0.6,
            patterns=lambda g: max(g.patterns // 8, 100),
        ),
    )
    symbols = "1/√(4π ln n)", "unstable bits per pattern"
    rows = "n = {sizes}"

    def given(self, rng: Generator) -> Given:
        stored = tuple(int(hopfield_capacity(n)) for n in self.sizes)
        return Given(self.sizes, stored, self.patterns)

    def predict(self, given: Given) -> list[float]:
        return [wrong_bits_bound(n) for n in given.sizes]

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        samples = []
        for n, s in zip(given.sizes, given.stored, strict=True):
            networks = range(max(4, math.ceil(given.patterns / s)))
            samples.append(Sample([given.wrong_bits(n, s, rng) for _ in networks]))
        return samples

    @picture("Wrong bits of a stored pattern", x="neurons n", y="expected unstable bits", log="xy")
    def marks(self, trial: Trial[Given]) -> Marks:
        sizes, reads = trial.given.sizes, trial.comparison.measured
        n = torch.logspace(math.log10(min(sizes)), 8, 60, dtype=torch.float64).tolist()
        value, low, high = zip(*((r.value, r.low, r.high) for r in reads), strict=True)
        label = "unstable bits per pattern at s = n/(2 ln n), 99 % interval"
        yield Points(sizes, value, low=low, high=high, label=label)
        yield Curve([wrong_bits_bound(v) for v in n], x=n, label=self.symbols[0], role="predicted")
        factors = {"1.3 n/(2 ln n)": 1.3, "n/(2 ln n)": 1.0, "n/(2 log₂ n)": math.log(2)}
        for name, c in factors.items():
            y = [expected_wrong_bits(v, c * hopfield_capacity(v)) for v in n]
            yield Curve(y, x=n, label=f"normal law, s = {name}", role="other", dashed=True)
