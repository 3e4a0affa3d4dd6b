r"""Tent map as a ReLU network.

The tent map, :math:`2x` on :math:`[0, 1/2]`, :math:`2 - 2x` on :math:`[1/2, 1]` and 0 elsewhere, is

.. math:: \Delta(x) = 2(x)_+ - 4(x - \tfrac12)_+ + 2(x - 1)_+
                    = \big(2(x)_+ - 4(x - \tfrac12)_+\big)_+ ,

three rectifiers in one hidden layer, or two and one in two. Without its third unit the sum falls
below zero to the right of 1.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.1; Mathematical Foundations of
    Deep Learning (slides), Telgarsky's Theorem.
:kind: construction
:covers: tent-map
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Along, Claim, Suppose, equals, option
from corollary.models.sawtooth import relu_count, shallow_relu, tent


class Given(NamedTuple):
    one_layer: nn.Sequential
    two_layers: nn.Sequential
    x: Tensor  # points of the line


TWO = shallow_relu([0.0, 0.5], [2.0, -4.0])  # 2 relu(x) - 4 relu(x - 1/2)


class TentMap(Claim[Given]):
    points: int = option(64, low=8, high=4096)  # dyadic points to compare at
    reach: float = option(1.0, low=0.625, high=8.0)  # the points lie in 1/2 ± reach

    relation = equals(ulps=8, scale=1.0)  # at dyadic points sums of order 1 are exact
    supposes = (
        Suppose(
            "one layer has three units",
            lambda g: relu_count(g.one_layer) == 3,
            "Without its third unit, the network falls below zero.",
            one_layer=lambda g: TWO,
        ),
        Suppose(
            "two layers have three units",
            lambda g: relu_count(g.two_layers) == 3,
            "Without the last rectifier, the network falls below zero.",
            two_layers=lambda g: TWO,
        ),
    )
    symbols = "Δ(x)", "networks"
    shows = Along("A tent of three rectifiers", x="x", at="x")

    def given(self, rng: Generator) -> Given:
        x = 0.5 + self.reach * (2 * torch.rand(self.points, generator=rng).double() - 1)
        corners = [0.5 - self.reach, 0.0, 0.25, 0.5, 0.75, 1.0, 0.5 + self.reach]
        x = torch.cat([torch.tensor(corners, dtype=torch.float64), x])
        x = ((x * 2**20).round() / 2**20).sort().values  # 20 bits after the point
        return Given(tent("three_units"), tent("two_layer"), x)

    def predict(self, given: Given) -> Tensor:
        x = given.x
        return torch.minimum(2 * x, 2 - 2 * x).clamp(min=0).repeat(2)

    def measure(self, given: Given) -> Tensor:
        return torch.cat([net(given.x[:, None])[:, 0] for net in given[:2]])
