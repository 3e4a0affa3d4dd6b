r"""Channels and parameters of a dense block.

In a dense block, :math:`x_l=H_l([x_0,\dots,x_{l-1}])`, with :math:`k_0` channels in :math:`x_0` and
growth rate :math:`k`, layer :math:`l` reads

.. math:: k_0+(l-1)k

channels. With :math:`H` batch normalisation, ReLU and a :math:`3\times3` convolution, the block of
:math:`L` layers has :math:`\sum_l(k_0+(l-1)k)(9k+2)` parameters. Measured are the channels that
reach each layer of a running block, and the parameters it holds.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.2, Figure 10.16; Perez Jensen
    (2025), Deep Learning, Section 2.3; Huang, Liu, van der Maaten and Weinberger (2017), "Densely
    connected convolutional networks".
:kind: identity
:covers: densenet-connectivity
:erratum: [typo] Perez Jensen (2025) refers DenseNet to Zhu and Newsam (2017), who apply it to
    optical flow; the architecture is due to Huang et al. (2017).
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Along, Claim, Suppose, equals
from corollary.models.dense_net import DenseBlock, bn_relu_conv


class Given(NamedTuple):
    block: nn.Module
    layers: Sequence[nn.Module]
    images: Tensor  # that are fed


def reads(given: Given) -> list[Tensor]:
    """What arrives at each layer while the images go through."""
    seen: list[Tensor] = []
    hooks = [
        layer.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
        for layer in given.layers
    ]
    with torch.no_grad():
        given.block(given.images)
    for hook in hooks:
        hook.remove()
    return seen


def sees_all(given: Given) -> bool:
    """Whether the first channels that every layer reads are those of the images."""
    k = given.images.shape[1]
    return all(h.shape[1] >= k and torch.equal(h[:, :k], given.images) for h in reads(given))


def chain(self: "DenseConnectivity", given: Given, rng: Generator) -> Given:
    """In a chain, every layer reads only the layer before it."""
    widths = [self.channels] + [self.growth] * (self.layers - 1)
    layers = [bn_relu_conv(k, self.growth, rng=rng) for k in widths]
    return Given(nn.Sequential(*layers), layers, given.images)


class DenseConnectivity(Claim[Given]):
    channels: int = 6  # channels of the input, k₀
    layers: int = 8  # layers of the block, L
    growth: int = 4  # channels each layer adds, k

    relation = equals()  # whole numbers
    supposes = Suppose(
        "every layer reads the input and all earlier layers", sees_all, without=chain
    )
    symbols = "k₀ + (l − 1)k, and parameters", "channels read, and parameters"
    rows = (*(f"channels of layer {i}" for i in range(1, 9)), "parameters")
    shows = Along(
        "Channels read by each layer of a dense block", x="layer l", y="channels", at="depth"
    )

    @property
    def depth(self) -> range:
        """Numbers of the layers."""
        return range(1, self.layers + 1)

    def given(self, rng: Generator) -> Given:
        block = DenseBlock(self.channels, self.layers, self.growth, rng=rng)
        images = torch.rand(2, self.channels, 4, 4, generator=rng)
        return Given(block, list(block.layers), images.to(next(block.parameters()).dtype))

    def predict(self, given: Given) -> list[int]:
        channels = [self.channels + (layer - 1) * self.growth for layer in self.depth]
        return [*channels, sum(k * (9 * self.growth + 2) for k in channels)]

    def measure(self, given: Given) -> list[int]:
        held = sum(p.numel() for p in given.block.parameters())
        return [*(h.shape[1] for h in reads(given)), held]
