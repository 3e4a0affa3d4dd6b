r"""Forward signal in random deep linear networks.

For independent :math:`d\times d` layers with independent centred entries of variance
:math:`\sigma^2`,

.. math:: \mathbb E\|W^t\cdots W^1x\|^2=(d\sigma^2)^t\|x\|^2 :

the signal keeps its length on average iff :math:`\sigma^2=1/d`, and vanishes or explodes
exponentially in the depth otherwise.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2, Corollary 49.
:kind: identity
:cost: instant
:covers: forward-norm-growth
:erratum: [typo] The right side of (6.37) has W^{t-1} where the product W^{t-1:1} is meant. The
    result is right.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, option, within_interval
from corollary.theory.landscape.random_products import entries, forward_second_moment


class Given(NamedTuple):
    """Sizes, the law of the entries, and the seed of the draws."""

    d: int
    gain: float  # d times the variance of the entries
    mean: float  # of the entries, times the square root of d
    law: str
    seed: int


class ForwardNormGrowth(Claim[Given]):
    d: int = option(12, low=4, high=100)  # width
    t: int = option(6, low=2, high=20)  # layers
    gain: float = option(1.0, low=0.25, high=1.25)  # d σ²
    law: Literal["gaussian", "rademacher", "uniform", "laplace"] = "gaussian"  # of the entries
    draws: int = option(700, low=500, high=100_000)  # networks
    relation = within_interval(level=0.999999, resolution=0.5)  # chance: one seed in a million

    def given(self, rng: Generator) -> Given:
        """Centred entries."""
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(self.d, self.gain, 0.0, self.law, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The mean of the entries."""
        yield Hypothesis("the entries have mean zero", given.mean == 0)

    def predict(self, given: Given) -> list[float]:
        """Powers of the gain."""
        s2 = given.gain / given.d
        return [forward_second_moment(given.d, s2, t) for t in range(1, self.t + 1)]

    def measure(self, given: Given) -> list[Sample]:
        """Squared lengths of a unit vector after each layer."""
        return [Sample(row) for row in self._lengths(given)]

    def counterexample(self, rng: Generator) -> Given:
        """Entries with a mean: the constant direction grows by a factor of its own."""
        return self.given(rng)._replace(mean=0.5)

    def figure(self, given: Given) -> Figure:
        """Three gains."""
        t = list(range(1, self.t + 1))
        marks: list[Curve | Points] = []
        for gain in (0.5, 1.0, 1.25):
            other = given._replace(gain=gain)
            reads = [sample.read(0.99) for sample in self.measure(other)]
            marks.append(
                Curve(self.predict(other), x=t, label=f"(dσ²)^t, dσ² = {gain:g}", role="predicted")
            )
            marks.append(
                Points(
                    t,
                    [r.value for r in reads],
                    low=[r.low for r in reads],
                    high=[r.high for r in reads],
                    label=f"measured, dσ² = {gain:g}",
                )
            )
        return Figure(
            "Only σ² = 1/d keeps the signal",
            x="t",
            y="E‖W^t ⋯ W^1 x‖² / ‖x‖²",
            log_y=True,
            marks=tuple(marks),
        )

    def _lengths(self, given: Given) -> list[Tensor]:
        d, gain, mean, law, seed = given
        rng = torch.Generator().manual_seed(seed)
        a = torch.full((self.draws, d, 1), d**-0.5, dtype=torch.float64)
        out = []
        for _ in range(self.t):
            W = entries(law, (self.draws, d, d), gain / d, rng=rng) + mean / d**0.5
            a = W @ a
            out.append(a.square().sum(dim=(1, 2)))
        return out
