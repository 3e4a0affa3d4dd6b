r"""The backward pass costs at most two forward passes.

The backward pass multiplies by each weight matrix twice, once for :math:`\delta^l` and once for the
gradient of the weights, except the first, which it needs once. So for one loss

.. math:: \frac{\text{multiplications backwards}}{\text{multiplications forwards}}
   =2-\frac{n_0n_1}{\sum_ln_{l-1}n_l}\le2,

whatever depth, width and number of parameters. A whole Jacobian of :math:`k` outputs needs
:math:`k` backward passes. Measured are the multiplications that torch's counter sees.

:source: Mathematical Foundations of Deep Learning (slides), Backpropagation; Baur and Strassen
    (1983), "The complexity of partial derivatives".
:kind: identity
:uses: backpropagation_recursion
:covers: backprop-correctness
:scale-free: Multiplications are counted, whatever numbers are multiplied.
"""

from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Generator, Tensor
from torch.utils.flop_counter import FlopCounterMode

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.theory.networks.activations import RELU
from corollary.theory.networks.backprop import Layer, backprop, forward_pass


class Given(NamedTuple):
    networks: list[list[Layer]]  # of growing depth
    x: Tensor  # points
    losses: int  # numbers to differentiate: a backward pass for each


def cost_ratio(net: list[Layer], x: Tensor, losses: int) -> float:
    """Multiplications of all backward passes over those of one forward pass."""
    y = torch.zeros(x.shape[0], net[-1].W.shape[0]).to(x)
    with FlopCounterMode(display=False) as forward:
        forward_pass(net, x)
    with FlopCounterMode(display=False) as both:
        for _ in range(losses):
            backprop(net, x, y)
    once, total = forward.get_total_flops(), both.get_total_flops()
    return float((total - losses * once) / once)


class BackpropCost(Claim[Given]):
    n: int = 4  # points
    d: int = 10  # input dimension
    m: int = option(12, low=2)  # width
    depths: tuple[int, ...] = (1, 2, 4, 8, 16, 32)  # layers

    relation = equals(ulps=4)  # both sides are ratios of counts
    supposes = Suppose(
        "the loss is a single number",
        lambda g: (g.losses == 1, f"{g.losses}"),
        "The Jacobian of three outputs needs three backward passes.",
        losses=3,
    )
    symbols = "2 − n₀n₁ / Σ nₗ₋₁nₗ", "backward / forward"
    shows = Along("The cost of a gradient", x="layers L", at="depths", log="x")

    def given(self, rng: Generator) -> Given:
        widths = [[self.d] + [self.m] * depth for depth in self.depths]
        networks = [
            [Layer(normal(rng, b, a), normal(rng, b), RELU) for a, b in pairwise(w)] for w in widths
        ]
        return Given(networks, normal(rng, self.n, self.d), 1)

    def predict(self, given: Given) -> list[float]:
        return [2 - net[0].W.numel() / sum(f.W.numel() for f in net) for net in given.networks]

    def measure(self, given: Given) -> list[float]:
        return [cost_ratio(net, given.x, given.losses) for net in given.networks]
