r"""Pooling is almost blind to small shifts.

Max and average pooling P do not increase the largest difference of two images, so a shift by one
pixel changes the pooled image by at most what it changes the image,

.. math:: \|P(I_\delta)-P(I)\|_\infty\le\|I_\delta-I\|_\infty ,

little for smooth images, and not zero: only pooling over the whole image is blind to shifts. The
sum over a window has no such bound.

:source: Perez Jensen (2025), Deep Learning, Section 4.2; Lucchi (2025), Foundations of Deep
    Learning, Section 10.1.4. The bound is ours.
:kind: bound
:cost: instant
:covers: max-pooling
:erratum: [loose] Perez Jensen says that pooling layers downsample, but the formula
    max I[i + k, j + l] has no stride; with stride r it is I[r i + k, r j + l], as used here.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_most, option
from corollary.models.pooling import AvgPool, MaxPool


class Given(NamedTuple):
    """A periodic image, and how a window is summed up."""

    image: Float[Tensor, "n n"]
    pooling: str  # max, mean or sum


@dataclass(frozen=True)
class PoolingShift(Claim[Given]):
    """The change of the pooled image under a shift against that of the image."""

    tiles: int = option(8, low=2, high=64)  # windows in a row
    r: int = option(4, low=2, high=16)  # side of a window, and stride
    delta: int = option(1, low=1, high=16)  # shift in pixels
    relation = at_most(ulps=8)  # rounding of one difference

    def given(self, rng: Generator) -> Given:
        """A sum of slow waves in random phase."""
        t = 2 * math.pi * torch.arange(self.tiles * self.r) / (self.tiles * self.r)
        phase = 2 * math.pi * torch.rand(3, 2, generator=rng)
        waves = [torch.outer(torch.sin(k * t + p), torch.cos(k * t + q)) / k
                 for k, (p, q) in enumerate(phase.tolist(), 1)]  # fmt: skip
        return Given(torch.stack(waves).sum(0).double(), "max")

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The summary of a window."""
        yield Hypothesis("a window becomes its maximum or its mean",
                         given.pooling in ("max", "mean"), given.pooling)  # fmt: skip

    def predict(self, given: Given) -> float:
        """The change of the image."""
        return float((self._shifted(given.image, self.delta) - given.image).abs().max())

    def measure(self, given: Given) -> float:
        """The change of the pooled image."""
        return self._change(given, self.delta)

    def counterexample(self, rng: Generator) -> Given:
        """The sum over each window."""
        return self.given(rng)._replace(pooling="sum")

    def figure(self, given: Given) -> Figure:
        """All shifts up to two windows."""
        shifts = list(range(2 * self.r + 1))
        pooled = [self._change(given, d) for d in shifts]
        mean = [self._change(given._replace(pooling="mean"), d) for d in shifts]
        image = given.image
        bound = [float((self._shifted(image, d) - image).abs().max()) for d in shifts]
        marks = (
            Curve(bound, x=shifts, label="‖I_δ - I‖", role="predicted"),
            Points(shifts, pooled, label="max pooling"),
            Points(shifts, mean, label="mean pooling", role="other"),
            Level(float(self.r), label="one window", role="other", axis="x"),
        )
        return Figure("Pooling and shifts", x="shift δ", y="largest change", marks=marks)

    def _change(self, given: Given, delta: int) -> float:
        moved, still = self._shifted(given.image, delta), given.image
        both = torch.stack([moved, still])[:, None]
        pool = MaxPool(self.r) if given.pooling == "max" else AvgPool(self.r)
        a, b = pool(both) * (self.r**2 if given.pooling == "sum" else 1)
        return float((a - b).abs().max())

    @staticmethod
    def _shifted(image: Tensor, delta: int) -> Tensor:
        return image.roll(-delta, 1)
