r"""A shift changes the pooled image at most as much as the image.

Max and average pooling P do not increase the largest difference of two images, so a shift by one
pixel changes the pooled image by at most what it changes the image,

.. math:: \|P(I_\delta)-P(I)\|_\infty\le\|I_\delta-I\|_\infty ,

little for smooth images, and not zero: only pooling over the whole image is blind to shifts. The
sum over a window has no such bound.

:source: Perez Jensen (2025), Deep Learning, Section 4.2; Lucchi (2025), Foundations of Deep
    Learning, Section 10.1.4. The bound is ours.
:kind: bound
:covers: max-pooling
:erratum: [loose] Perez Jensen says that pooling layers downsample, but the formula
    max I[i + k, j + l] has no stride; with stride r it is I[r i + k, r j + l], as used here.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Sweep, at_most, option, uniform
from corollary.models.pooling import AvgPool, MaxPool


class Given(NamedTuple):
    """A periodic image, and how its windows are pooled."""

    image: Float[Tensor, "n n"]
    pool: Callable[[Tensor], Tensor]


def keeps_constants(given: Given) -> tuple[bool, str]:
    """Whether an image of ones is pooled to ones."""
    largest = float(given.pool(torch.ones_like(given.image)[None, None]).max())
    return largest <= 1 + 1e-12, f"a window of ones becomes {largest:g}"


class PoolingShift(Claim[Given]):
    tiles: int = option(8, low=2, high=64)  # windows in a row
    r: int = option(4, low=2, high=16)  # side of a window, and stride
    delta: int = option(1, low=0, high=64)  # shift in pixels

    relation = at_most(ulps=8)  # rounding of one difference
    supposes = Suppose(
        "each window of ones is pooled to 1",
        keeps_constants,
        "If each window is summed instead, the output changes by up to r² times as much.",
        pool=lambda self: lambda x: self.r**2 * AvgPool(self.r)(x),
    )
    symbols = "largest change of the image", "largest change after max pooling"
    shows = Sweep(
        "Largest change of an image by a shift, before and after pooling",
        "delta",
        tuple(range(9)),
        x="shift δ",
        log="",
        y="largest change",
    )

    def given(self, rng: Generator) -> Given:
        t = 2 * math.pi * torch.arange(self.tiles * self.r).double() / (self.tiles * self.r)
        phases = (2 * math.pi * uniform(rng, 3, 2)).tolist()
        waves = [
            torch.outer((k * t + p).sin(), (k * t + q).cos()) / k
            for k, (p, q) in enumerate(phases, 1)
        ]
        return Given(torch.stack(waves).sum(0), MaxPool(self.r))

    def predict(self, given: Given) -> float:
        return float((given.image.roll(-self.delta, 1) - given.image).abs().max())

    def measure(self, given: Given) -> float:
        both = torch.stack([given.image.roll(-self.delta, 1), given.image])[:, None]
        moved, still = given.pool(both)
        return float((moved - still).abs().max())
