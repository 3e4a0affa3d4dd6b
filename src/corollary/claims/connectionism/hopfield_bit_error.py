r"""Bit errors in the stored patterns of a Hopfield network.

Store :math:`s` patterns of :math:`n` independent fair signs by the Hebb rule without diagonal. At
fixed load :math:`s/n` the probability that a stored bit is unstable tends to

.. math:: P\big(\mathcal N(0, s/n) \ge 1\big) = \tfrac12 \operatorname{erfc} \sqrt{n / 2s}.

It is reached from below: for finite :math:`n` the exact law is binomial, and at
:math:`n = 1000` the limit is 5 % too high at load 0.1.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Hertz, Krogh and Palmer (1991),
    "Introduction to the Theory of Neural Computation", Section 2.2.
:kind: limit
:cost: seconds
:uses: hopfield_crosstalk
:covers: hopfield-bit-error-probability
:erratum: [typo] The integral of exp(-n z^2 / (2 s)) from 1 to infinity, as printed, lacks the
    factor sqrt(n / (2 pi s)); at s/n = 0.3 it is 0.0466, while the error rate and the closed form
    printed after it are 0.0339. The figure shows both.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Sample, Suppose, Trial, generator, near, option, within_interval
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.data.patterns import random_patterns
from corollary.theory.connectionism.hopfield.capacity import bit_error_limit
from corollary.theory.connectionism.hopfield.states import sign
from corollary.theory.connectionism.hopfield.storage import hebbian_field, squared_overlap

PROBES = 64  # stored patterns looked at in each network


class Given(NamedTuple):
    loads: tuple[float, ...]  # s/n
    share: float  # probability of +1 in a pattern
    field: Callable[[Tensor, Tensor], Tensor]  # of patterns, at states

    def patterns(self, s: int, n: int, rng: Generator) -> Tensor:
        """Whole numbers below 2^24 until the last division: float32 is exact."""
        return random_patterns(s, n, p=self.share, rng=rng, dtype=torch.float32)


def printed(patterns: Tensor, x: Tensor) -> Tensor:
    """The field by the rule as the notes print it, with the diagonal s/n."""
    s, n = patterns.shape
    return hebbian_field(patterns, x) + s / n * x


def fair(given: Given) -> tuple[bool, str]:
    """Five standard deviations of the mean squared overlap."""
    value = squared_overlap(given.patterns(200, 400, generator(0, "patterns")))
    return abs(value - 1) <= 0.05, f"n times the mean squared overlap is {value:.3f}"


def diagonal(given: Given) -> tuple[bool, str]:
    """The field of a state e_i at neuron i is w_ii."""
    return near(given.field(torch.ones(3, 8), torch.eye(8)).diagonal(), 0.0)


class HopfieldBitError(Claim[Given]):
    n: int = option(2000, low=100, high=8000)  # neurons
    networks: int = option(8, low=4, high=100)  # independent networks per load
    loads: tuple[float, ...] = option((0.1, 0.138, 0.2, 0.3), low=0.02, high=2.0)  # s/n

    relation = within_interval(level=0.999, resolution=0.003)  # spread over the networks
    supposes = (
        Suppose(
            "the diagonal of the couplings is zero",
            diagonal,
            "If the diagonal is kept, as printed in the notes, there are fewer errors.",
            field=lambda g: printed,
        ),
        Suppose(
            "the patterns overlap as independent fair signs do",
            fair,
            "Patterns in which six signs in ten are +1 make more errors.",
            share=0.6,
        ),
    )
    symbols = "½ erfc √(n/2s)", "share of unstable bits"
    rows = "s/n = {loads}"

    def given(self, rng: Generator) -> Given:
        return Given(self.loads, 0.5, hebbian_field)

    def predict(self, given: Given) -> list[float]:
        return [bit_error_limit(load) for load in given.loads]

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        def share(s: int) -> float:
            P = given.patterns(s, self.n, rng)
            x = P[:PROBES]
            return float((sign(given.field(P, x)) != x).double().mean())

        stored = [max(round(load * self.n), 2) for load in given.loads]
        return [Sample([share(s) for _ in range(self.networks)]) for s in stored]

    @picture("Unstable bits of stored patterns", x="load s/n", y="P(bit unstable)", log="y")
    def marks(self, trial: Trial[Given]) -> Marks:
        loads, reads = trial.given.loads, trial.comparison.measured
        x = torch.linspace(min(loads) * 0.9, max(loads) * 1.1, 100).tolist()
        limit = [bit_error_limit(load) for load in x]
        printed = [p * math.sqrt(2 * math.pi * load) for p, load in zip(limit, x, strict=True)]
        value, low, high = zip(*((r.value, r.low, r.high) for r in reads), strict=True)
        yield Points(loads, value, low=low, high=high, label=f"n = {self.n}, mean over networks")
        yield Curve(limit, x=x, label=self.symbols[0], role="predicted")
        yield Curve(printed, x=x, label="integral as printed", role="other", dashed=True)
