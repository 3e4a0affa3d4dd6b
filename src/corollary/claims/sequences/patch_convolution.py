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
:cost: instant
:covers: vision-transformer
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn.functional import conv2d, linear

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.sequences.patches import patches


class Given(NamedTuple):
    """Images, a map of flattened patches, and filters."""

    x: Float[Tensor, "n c h w"]
    W: Float[Tensor, "d cpp"]
    b: Float[Tensor, " d"]
    kernel: Float[Tensor, "d c p p"]


@dataclass(frozen=True)
class PatchConvolution(Claim[Given]):
    """Embedded patches against the outputs of a convolution."""

    images: int = 2  # images
    channels: int = 3  # of an image
    patch: int = option(4, low=2, high=32)  # side P of a patch
    across: int = option(4, low=1, high=16)  # patches along a side
    d: int = 4  # numbers a token
    relation = equals(ulps=256, scale=1.0)  # sums of C P² terms of size 1/sqrt(C P²), reordered

    def given(self, rng: Generator) -> Given:
        """Normal images and weights."""
        C, P, side = self.channels, self.patch, self.patch * self.across
        how = {"generator": rng, "device": rng.device, "dtype": torch.float64}
        x = torch.randn(self.images, C, side, side, **how)
        W = torch.randn(self.d, C * P**2, **how) / (C * P**2) ** 0.5
        return Given(x, W, torch.randn(self.d, **how), W.reshape(self.d, C, P, P))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The filters are the rows of W."""
        same = torch.equal(given.kernel.flatten(1), given.W)
        yield Hypothesis("the filters are the rows of W read as patches", same)

    def predict(self, given: Given) -> list[float]:
        """The convolution with stride P."""
        return conv2d(given.x, given.kernel, given.b, stride=self.patch).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """The embedded patches, channel by channel."""
        tokens = linear(patches(given.x, self.patch), given.W, given.b)  # (n, patches, d)
        return tokens.mT.flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Filters turned around, as in the convolution of mathematics."""
        given = self.given(rng)
        return given._replace(kernel=given.kernel.flip(2, 3))

    def figure(self, given: Given) -> Figure:
        """Each number of each token twice."""
        convolved, embedded = self.predict(given), self.measure(given)
        turned = given._replace(kernel=given.kernel.flip(2, 3))
        ends = [min(convolved), max(convolved)]
        return Figure(
            "A token is a place of a convolution",
            x="convolution with stride P",
            y="W z + b of the patch",
            marks=(
                Curve(ends, ends, label="equal", role="predicted"),
                Points(self.predict(turned), embedded, label="filters turned around", role="other"),
                Points(convolved, embedded, label="filters are the rows of W"),
            ),
        )
