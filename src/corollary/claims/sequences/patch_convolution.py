r"""Patches are a strided convolution.

Cut an image of :math:`C \times H \times W` numbers into patches of :math:`P \times P`, flatten each
and map it by :math:`z \mapsto Wz + b`, :math:`W \in \mathbb{R}^{d \times CP^2}`. That is the
convolution (cross-correlation) whose :math:`d` filters are the rows of :math:`W` read as patches,
with stride :math:`P`:

.. math:: z_{ij} = \sum_{c,u,v} W_{(c,u,v)} \, x_{c,\,Pi+u,\,Pj+v} + b .

The vision transformer begins with a convolutional layer.

:source: Perez Jensen (2025), Deep Learning, Section 6.6 and Figure 6.4; Dosovitskiy, Beyer,
    Kolesnikov et al. (2020), An image is worth 16x16 words, Section 3.1.
:kind: identity
:covers: vision-transformer
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn.functional import conv2d, linear

from corollary.core import Claim, Parity, Suppose, equals, normal, option
from corollary.theory.sequences.patches import patches


class Given(NamedTuple):
    """Images, a map of flattened patches, and filters."""

    x: Float[Tensor, "n c h w"]
    W: Float[Tensor, "d cpp"]
    b: Float[Tensor, " d"]
    kernel: Float[Tensor, "d c p p"]


class PatchConvolution(Claim[Given]):
    images: int = 2  # images
    channels: int = 3  # channels of an image
    patch: int = option(4, low=2, high=32)  # side P of a patch
    across: int = option(4, low=1, high=16)  # patches along a side
    d: int = 4  # numbers per token

    relation = equals(ulps=256, scale=1.0)  # sums of C P² terms of size 1/sqrt(C P²), reordered
    supposes = Suppose(
        "the filters are the rows of W read as patches",
        lambda g: torch.equal(g.kernel.flatten(1), g.W),
        "If the filters are flipped, as in a mathematical convolution, the result differs.",
        kernel=lambda g: g.kernel.flip(2, 3),
    )
    symbols = "convolution with stride P", "W z + b of the patch"
    shows = Parity("Patch embeddings and strided convolution")

    def given(self, rng: Generator) -> Given:
        C, P, side = self.channels, self.patch, self.patch * self.across
        W = normal(rng, self.d, C * P**2) / (C * P**2) ** 0.5
        x, b = normal(rng, self.images, C, side, side), normal(rng, self.d)
        return Given(x, W, b, W.reshape(self.d, C, P, P))

    def predict(self, given: Given) -> Tensor:
        return conv2d(given.x, given.kernel, given.b, stride=self.patch).flatten()

    def measure(self, given: Given) -> Tensor:
        tokens = linear(patches(given.x, self.patch), given.W, given.b)  # (n, patches, d)
        return tokens.mT.flatten()
