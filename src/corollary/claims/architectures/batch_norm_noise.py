r"""The noise of batch statistics.

The variance that batch normalisation takes from B independent examples of a normal feature is off
by a share of

.. math:: \frac{\operatorname{sd}(\hat\sigma_B^2)}{\sigma^2}=\frac{\sqrt{2(B-1)}}B\sim\sqrt{2/B},

half of itself at B = 8 and a tenth at B = 200. Layer normalisation takes nothing from the batch.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.3, Table 10.1 and Figure 10.17;
    Perez Jensen (2025), Deep Learning, Section 8.5; Wu and He (2018), "Group normalization".
:kind: rate
:cost: instant
:covers: batch-vs-layer-norm-experiment
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope


class Given(NamedTuple):
    """Features of many batches; a batch of size B is a row's first B entries."""

    z: Float[Tensor, "draws n"]


@dataclass(frozen=True)
class BatchNormNoise(Claim[Given]):
    """The spread of the batch variance at growing batch sizes."""

    draws: int = option(4000, low=500, high=100_000)  # batches of each size
    sizes: tuple[int, ...] = (8, 16, 32, 64, 128)  # batch sizes B, growing
    relation = slope(gap=0.06)  # √(B−1)/B is 0.02 off −1/2 here; a spread is known to 2 %

    def given(self, rng: Generator) -> Given:
        """Independent normal numbers."""
        n = max(self.sizes)
        return Given(torch.randn(self.draws, n, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Independence, by the correlation of neighbouring squares."""
        a, b = (given.z[:, i::2].square().flatten() for i in (0, 1))
        r = float(torch.stack([a, b]).corrcoef()[0, 1])
        fine = abs(r) < 5 / len(a) ** 0.5
        yield Hypothesis("examples of a batch are independent", fine, f"correlation {r:.2g}")

    def predict(self, given: Given) -> float:
        """The exponent of B."""
        return -0.5

    def measure(self, given: Given) -> Series:
        """Relative standard deviation of the variance."""
        return Series(self.sizes, [self._noise(given, B) for B in self.sizes])

    def counterexample(self, rng: Generator) -> Given:
        """Batches that are alike inside: each has a scale of its own."""
        z = self.given(rng).z
        return Given(z * torch.rand(len(z), 1, generator=rng, dtype=torch.float64))

    def figure(self, given: Given) -> Figure:
        """The noise and its formula."""
        B = torch.tensor(self.sizes, dtype=torch.float64)
        found = torch.tensor([self._noise(given, b) for b in self.sizes])
        half = 2.6 * found / (2 * self.draws) ** 0.5  # of a spread of nearly normal numbers
        return Figure(
            "Noise of the batch variance",
            x="batch size B",
            y="relative standard deviation",
            log_x=True,
            log_y=True,
            marks=(
                Curve((2 * (B - 1)).sqrt() / B, x=B, label="√(2(B − 1))/B", role="predicted"),
                Points(B, found, label="BN, with 99 % interval", low=found - half,
                       high=found + half),
            ),
        )  # fmt: skip

    def _noise(self, given: Given, B: int) -> float:
        v = given.z[:, :B].var(dim=1, correction=0)
        return float(v.std() / given.z.var())
