r"""Bit errors of a loaded Hopfield network.

Store :math:`s` patterns of :math:`n` independent fair signs by the Hebb rule without diagonal. At
fixed load :math:`s/n` the probability that a stored bit is unstable tends to

.. math:: P\big(\mathcal N(0, s/n) \ge 1\big) = \tfrac12 \operatorname{erfc} \sqrt{n / 2s}.

It is reached from below: for finite :math:`n` the exact law is binomial, and at
:math:`n = 1000` the limit is 5 % too high at load 0.1.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Hertz, Krogh and Palmer (1991),
    "Introduction to the Theory of Neural Computation", Section 2.2.
:kind: limit
:cost: seconds
:covers: hopfield-bit-error-probability
:erratum: [typo] The integral of exp(-n z^2 / (2 s)) from 1 to infinity, as printed, lacks the
    factor sqrt(n / (2 pi s)); at s/n = 0.3 it is 0.0466, while the error rate and the closed form
    printed after it are 0.0339. The figure shows both.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, option, within_interval
from corollary.data.patterns import random_patterns
from corollary.theory.connectionism.hopfield.capacity import bit_error_limit
from corollary.theory.connectionism.hopfield.states import sign
from corollary.theory.connectionism.hopfield.storage import hebbian_field, squared_overlap

PROBES = 64  # stored patterns looked at in each network


class Given(NamedTuple):
    """Networks to be drawn from a seed."""

    n: int  # neurons
    loads: tuple[float, ...]  # s/n
    networks: int  # independent networks a load
    seed: int
    zero_diagonal: bool  # False: the rule as the notes print it


@dataclass(frozen=True)
class HopfieldBitError(Claim[Given]):
    """The share of unstable stored bits at several loads."""

    n: int = option(2000, low=100, high=8000)  # neurons
    networks: int = option(8, low=4, high=100)  # independent networks a load
    loads: tuple[float, ...] = option((0.1, 0.138, 0.2, 0.3), low=0.02, high=2.0)  # s/n
    relation = within_interval(level=0.999, resolution=0.003)  # spread over the networks

    def given(self, rng: Generator) -> Given:
        """A seed for the patterns."""
        seed = int(torch.randint(2**31, (1,), generator=rng))
        return Given(self.n, self.loads, self.networks, seed, True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No diagonal; random patterns."""
        yield Hypothesis("the diagonal of the couplings is zero", given.zero_diagonal)
        s = max(round(given.loads[0] * given.n), 2)
        rng = torch.Generator().manual_seed(given.seed)
        overlap = squared_overlap(random_patterns(s, given.n, rng=rng, dtype=torch.float32))
        yield Hypothesis(
            "the patterns overlap as independent fair signs do",
            abs(overlap - 1) <= 5 * 2 / s,
            f"n times the mean squared overlap is {overlap:.3f}",
        )

    def predict(self, given: Given) -> list[float]:
        """The closed form."""
        return [bit_error_limit(load) for load in given.loads]

    def measure(self, given: Given) -> list[Sample]:
        """Shares of unstable bits, one a network."""
        return [Sample(shares) for shares in _unstable_shares(given)]

    def counterexample(self, rng: Generator) -> Given:
        """The diagonal is kept, as in the rule the notes print: fewer errors than they predict."""
        return self.given(rng)._replace(zero_diagonal=False, loads=self.loads[-1:])

    def figure(self, given: Given) -> Figure:
        """Error against load, with the integral as it is printed."""
        shares = [torch.tensor(v) for v in _unstable_shares(given)]
        x = torch.linspace(min(given.loads) * 0.9, max(given.loads) * 1.1, 100).tolist()
        limit = [bit_error_limit(load) for load in x]
        printed = [p * math.sqrt(2 * math.pi * load) for p, load in zip(limit, x, strict=True)]
        return Figure(
            "Unstable bits of stored patterns",
            x="load s/n",
            y="P(bit unstable)",
            marks=(
                Points(
                    given.loads,
                    [float(v.mean()) for v in shares],
                    low=[float(v.min()) for v in shares],
                    high=[float(v.max()) for v in shares],
                    label=f"n = {given.n}, mean and range over networks",
                ),
                Curve(limit, x=x, label="½ erfc √(n/2s)", role="predicted"),
                Curve(printed, x=x, label="integral as printed", role="other", dashed=True),
            ),
            log_y=True,
        )


@lru_cache(maxsize=4)
def _unstable_shares(given: Given) -> list[list[float]]:
    """For each load, the share of unstable bits in each network."""
    rng = torch.Generator().manual_seed(given.seed)
    out = []
    for load in given.loads:
        s = max(round(load * given.n), 2)
        out.append([_share(s, given, rng) for _ in range(given.networks)])
    return out


def _share(s: int, given: Given, rng: Generator) -> float:
    # n times a field is a whole number below 2^24, so float32 is exact before the division
    P = random_patterns(s, given.n, rng=rng, dtype=torch.float32)
    x = P[:PROBES]
    h = hebbian_field(P, x)
    if not given.zero_diagonal:
        h = h + s / given.n * x
    return float((sign(h) != x).double().mean())
