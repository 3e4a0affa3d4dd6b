r"""A gradient costs two forward passes.

The backward pass multiplies by each weight matrix twice, once for :math:`\delta^l` and once for the
gradient of the weights, except the first, which it needs once. So for one loss

.. math:: \frac{\text{multiplications backwards}}{\text{multiplications forwards}}
   =2-\frac{n_0n_1}{\sum_ln_{l-1}n_l}\le2,

whatever depth, width and number of parameters. A whole Jacobian of :math:`k` outputs needs
:math:`k` backward passes. Measured are the multiplications that torch's counter sees.

:source: Mathematical Foundations of Deep Learning (slides), Backpropagation; Baur and Strassen
    (1983), "The complexity of partial derivatives".
:kind: bound
:cost: instant
:covers: backprop-correctness
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor
from torch.utils.flop_counter import FlopCounterMode

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_most, option
from corollary.theory.networks.activations import RELU
from corollary.theory.networks.backprop import Layer, backprop, forward_pass


class Given(NamedTuple):
    """Networks of growing depth, and how many numbers are to be differentiated."""

    networks: list[list[Layer]]
    x: Tensor  # points
    losses: int  # backward passes: one a number


class BackpropCost(Claim[Given]):
    n: int = 4  # points
    d: int = 10  # input dimension
    m: int = option(12, low=2)  # width
    depths: tuple[int, ...] = (1, 2, 4, 8, 16, 32)  # layers
    relation = at_most()  # both sides are counts

    def given(self, rng: Generator) -> Given:
        """Random weights; their values do not matter."""
        return self._drawn(rng, losses=1)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """One backward pass."""
        yield Hypothesis("the loss is a single number", given.losses == 1, f"{given.losses}")

    def predict(self, given: Given) -> list[float]:
        """Twice the forward pass, for each depth."""
        return [2.0] * len(given.networks)

    def measure(self, given: Given) -> list[float]:
        """Counted while both passes run."""
        return [cost_ratio(net, given.x, given.losses) for net in given.networks]

    def counterexample(self, rng: Generator) -> Given:
        """The Jacobian of three outputs."""
        return self._drawn(rng, losses=3)

    def figure(self, given: Given) -> Figure:
        """The ratio over the depth."""
        sizes = [sum(f.W.numel() for f in net) for net in given.networks]
        exact = [
            2 - net[0].W.numel() / size for net, size in zip(given.networks, sizes, strict=True)
        ]
        marks = (
            Level(2.0, label="bound"),
            Curve(exact, x=self.depths, label="2 − n₀n₁ / Σ nₗ₋₁nₗ", role="predicted", dashed=True),
            Points(self.depths, self.measure(given), label="counted"),
        )
        return Figure(
            "The price of a gradient", x="layers L", y="backward / forward", marks=marks, log_x=True
        )

    def _drawn(self, rng: Generator, losses: int) -> Given:
        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, dtype=torch.float64, device=rng.device)

        networks = []
        for depth in self.depths:
            widths = [self.d] + [self.m] * depth
            networks.append(
                [
                    Layer(normal(b, a), normal(b), RELU)
                    for a, b in zip(widths, widths[1:], strict=False)
                ]
            )
        return Given(networks, normal(self.n, self.d), losses)


def cost_ratio(net: list[Layer], x: Tensor, losses: int) -> float:
    """Multiplications of all backward passes over those of one forward pass."""
    y = torch.zeros(x.shape[0], net[-1].W.shape[0]).to(x)
    with FlopCounterMode(display=False) as forward:
        forward_pass(net, x)
    with FlopCounterMode(display=False) as both:
        for _ in range(losses):
            backprop(net, x, y)
    once = forward.get_total_flops()
    return (both.get_total_flops() - losses * once) / once
