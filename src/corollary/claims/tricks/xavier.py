r"""Xavier's compromise.

For an :math:`m\times n` layer with independent centred weights of variance :math:`2/(n+m)`,
variances are multiplied by

.. math:: \frac{2n}{n+m}\ \text{forwards},\qquad\frac{2m}{n+m}\ \text{backwards}:

both are 1 iff :math:`n=m`, their mean is always 1. One layer cannot keep both otherwise.

:source: Perez Jensen (2025), Deep Learning, Section 8.1; Lucchi (2025), Foundations of Deep
    Learning, Section 6.2.3; Glorot and Bengio (2010), "Understanding the difficulty of training
    deep feedforward neural networks".
:kind: identity
:cost: instant
:covers: xavier-init
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, option, within_interval
from corollary.models.init import xavier_
from corollary.theory.tricks.initialisation import layer_gains, xavier_std


class Given(NamedTuple):
    """A shift of all weights, and the seed of the draws."""

    shift: float
    seed: int


@dataclass(frozen=True)
class Xavier(Claim[Given]):
    """Mean squares of one layer, forwards and backwards."""

    n: int = option(60, low=2, high=500)  # inputs
    m: int = option(20, low=2, high=500)  # outputs
    draws: int = option(1000, low=300, high=50_000)  # layers
    relation = within_interval(level=0.999999, resolution=0.2)  # chance: one seed in a million

    def given(self, rng: Generator) -> Given:
        """Centred weights."""
        return Given(0.0, int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The mean of the weights."""
        yield Hypothesis("the weights have mean 0", given.shift == 0)

    def predict(self, given: Given) -> list[float]:
        """Forward and backward."""
        return [*layer_gains(self.n, self.m, xavier_std(self.n, self.m))]

    def measure(self, given: Given) -> list[Sample]:
        """Mean squares of a vector that goes through, over those of the vector."""
        return self._gains(given, self.n, self.m)

    def counterexample(self, rng: Generator) -> Given:
        """Weights that are shifted by two standard deviations."""
        return self.given(rng)._replace(shift=2.0)

    def figure(self, given: Given) -> Figure:
        """Gains against the shape of the layer."""
        total = self.n + self.m
        n = [round(total * k / 16) for k in range(1, 16)]
        some = n[1::4]
        found = [self._gains(given, a, total - a) for a in some]
        marks = [
            Curve([2 * a / total for a in n], n, "forward, 2n/(n + m)", "predicted"),
            Curve(
                [2 - 2 * a / total for a in n], n, "backward, 2m/(n + m)", "predicted", dashed=True
            ),
        ]
        for side, name in ((0, "forward"), (1, "backward")):
            reads = [pair[side].read(0.99) for pair in found]
            marks.append(
                Points(
                    some,
                    [r.value for r in reads],
                    low=[r.low for r in reads],
                    high=[r.high for r in reads],
                    label=f"{name}, measured, 99 %",
                    role="measured" if side == 0 else "other",
                )
            )
        return Figure(
            "One layer keeps both only if it is square",
            x=f"n, with n + m = {total}",
            y="gain of the variance",
            marks=tuple(marks),
        )

    def _gains(self, given: Given, n: int, m: int) -> list[Sample]:
        rng = torch.Generator().manual_seed(given.seed)
        std = xavier_std(n, m)
        W = torch.stack([xavier_(torch.empty(m, n).double(), rng=rng) for _ in range(self.draws)])
        W = W + given.shift * std
        x = torch.randn(self.draws, n, 1, generator=rng, dtype=torch.float64)
        x = x + given.shift  # signals of mean 0 would not notice a shift
        delta = torch.randn(self.draws, m, 1, generator=rng, dtype=torch.float64) + given.shift
        ratio = [
            (W @ x).square().mean(dim=(1, 2)) / x.square().mean(dim=(1, 2)),
            (W.mT @ delta).square().mean(dim=(1, 2)) / delta.square().mean(dim=(1, 2)),
        ]
        return [Sample(r) for r in ratio]
