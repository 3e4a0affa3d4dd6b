r"""Convolution with a global pool is invariant under shifts.

Convolutions with circular padding and stride 1 move with their input, and a maximum or mean over
all places forgets where: for every shift T of the image around its edges,

.. math:: f(Tx)=f(x).

A fully connected network has no such property, nor has a convolutional one with zero padding.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1; Perez Jensen (2025), Deep
    Learning, Section 4.2.
:kind: theorem
:uses: shift_equivariance
:covers: cnn-classifier
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Along, Claim, Suppose, equals, near, option
from corollary.data.textures import placed_patterns
from corollary.models.small_cnn import SmallCNN, matched_mlp


class Given(NamedTuple):
    x: Float[Tensor, "1 1 s s"]  # an image
    net: nn.Module  # features, and what is made of them


def moves_along(given: Given) -> tuple[bool, str]:
    """Whether the features of a shifted image are the shifted features."""
    features = getattr(given.net, "features", given.net)
    y, moved = features(given.x), features(given.x.roll(1, dims=3))
    return near(moved, y.roll(1, dims=3)) if y.ndim == 4 else (False, "no features in a plane")


class PooledShifts(Claim[Given]):
    size: int = option(12, low=5, high=64)  # pixels along a side

    relation = equals(ulps=2**10, scale=1.0)  # the same sums, in another order
    supposes = (
        Suppose(
            "features move along with the image",
            moves_along,
            "With zero padding, the features depend on the position of the image border.",
            net=lambda self, rng: self.network("zeros", rng),
        ),
        Suppose(
            "features are convolutions",
            lambda g: any(isinstance(m, nn.Conv2d) for m in g.net.modules()),
            "The output of a fully connected network changes with every shift.",
            net=lambda self, g, rng: matched_mlp(g.net, self.size**2, 3, rng=rng),
        ),
    )
    symbols = "f(x)", "f of the shifted image"
    shows = Along("An output as the image is shifted", x="shift in pixels", y="f")

    def given(self, rng: Generator) -> Given:
        x, _ = placed_patterns(1, self.size, noise=0.3, rng=rng)
        return Given(x, self.network("circular", rng))

    def network(self, padding: Literal["zeros", "circular"], rng: Generator) -> SmallCNN:
        """Two convolutions of stride 1 and a mean over all places."""
        return SmallCNN(1, 3, (6, 6), padding_mode=padding, pool=False, reduce="mean", rng=rng)

    def predict(self, given: Given) -> Tensor:
        out: Tensor = given.net(given.x)
        return out[0, 0].detach().repeat(self.size)

    def measure(self, given: Given) -> Tensor:
        out: Tensor = given.net(torch.cat([given.x.roll(k, dims=3) for k in range(self.size)]))
        return out[:, 0].detach()
