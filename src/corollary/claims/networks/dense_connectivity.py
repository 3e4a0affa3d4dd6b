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
:cost: instant
:covers: densenet-connectivity
:erratum: [typo] Perez Jensen (2025) refers DenseNet to Zhu and Newsam (2017), who apply it to
    optical flow; the architecture is due to Huang et al. (2017).
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import torch
from torch import Generator, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals
from corollary.models.dense_net import DenseBlock, bn_relu_conv


class Given(NamedTuple):
    """A block with its layers, and what it is fed."""

    block: nn.Module
    layers: list[nn.Module]
    channels: int
    growth: int


class DenseConnectivity(Claim[Given]):
    channels: int = 6  # channels of the input, k₀
    layers: int = 8  # layers of the block, L
    growth: int = 4  # channels each layer adds, k
    relation = equals()  # whole numbers

    def given(self, rng: Generator) -> Given:
        """A block with random weights."""
        block = DenseBlock(self.channels, self.layers, self.growth, rng=rng)
        return Given(block, list(block.layers), self.channels, self.growth)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """All are joined."""
        yield Hypothesis(
            "every layer reads the input and all earlier layers",
            isinstance(given.block, DenseBlock),
        )

    def predict(self, given: Given) -> list[float]:
        """The formulas."""
        k0, k, L = given.channels, given.growth, len(given.layers)
        reads = [k0 + (layer - 1) * k for layer in range(1, L + 1)]
        return [float(v) for v in (*reads, sum(r * (9 * k + 2) for r in reads))]

    def measure(self, given: Given) -> list[float]:
        """Channels counted while the block runs, and numbers of its parameters."""
        held = sum(p.numel() for p in given.block.parameters())
        return [float(v) for v in (*channels_seen(given), held)]

    def counterexample(self, rng: Generator) -> Given:
        """A chain: every layer reads the one before it only."""
        H = partial(bn_relu_conv, rng=rng)
        first = H(self.channels, self.growth)
        rest = [H(self.growth, self.growth) for _ in range(self.layers)]
        return Given(nn.Sequential(first, *rest), [first, *rest], self.channels, self.growth)

    def figure(self, given: Given) -> Figure:
        """Channels layer by layer."""
        at = list(range(1, 1 + len(given.layers)))
        return Figure(
            "A dense block reads more and more",
            x="layer l",
            y="channels read",
            marks=(
                Curve(self.predict(given)[:-1], x=at, label="k₀ + (l − 1)k", role="predicted"),
                Points(at, self.measure(given)[:-1], label="channels at the layer's entry"),
            ),
        )


def channels_seen(given: Given) -> list[int]:
    """The channels that arrive at each layer when two images of 4 x 4 go through."""
    seen: list[int] = []
    hooks = [
        layer.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0].shape[1]))
        for layer in given.layers
    ]
    like = next(given.block.parameters())
    with torch.no_grad():
        given.block(like.new_zeros(2, given.channels, 4, 4))
    for hook in hooks:
        hook.remove()
    return seen
