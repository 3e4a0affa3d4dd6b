r"""Tent map as a ReLU network.

The tent map, :math:`2x` on :math:`[0, 1/2]`, :math:`2 - 2x` on :math:`[1/2, 1]` and 0 elsewhere, is

.. math:: \Delta(x) = 2(x)_+ - 4(x - \tfrac12)_+ + 2(x - 1)_+
                    = \big(2(x)_+ - 4(x - \tfrac12)_+\big)_+ ,

three rectifiers in one hidden layer, or two and one in two. Without its third unit the sum falls
below zero to the right of 1.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.1; Mathematical Foundations of
    Deep Learning (slides), Telgarsky's Theorem.
:kind: construction
:cost: instant
:covers: tent-map
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.sawtooth import relu_count, shallow_relu, tent


class Given(NamedTuple):
    """Two networks and points of the line."""

    one_layer: nn.Sequential
    two_layers: nn.Sequential
    x: Tensor


@dataclass(frozen=True)
class TentMap(Claim[Given]):
    """Both networks against the definition, inside and outside of [0, 1]."""

    points: int = option(256, low=8, high=4096)  # dyadic points to compare at
    reach: float = option(1.0, low=0.625, high=8.0)  # the points lie in 1/2 ± reach
    relation = equals(ulps=8, scale=1.0)  # at dyadic points sums of order 1 are exact

    def given(self, rng: Generator) -> Given:
        """The two forms, and points with 20 bits after the point."""
        x = 0.5 + self.reach * (2 * torch.rand(self.points, generator=rng).double() - 1)
        corners = [0.5 - self.reach, 0.0, 0.25, 0.5, 0.75, 1.0, 0.5 + self.reach]
        x = torch.cat([torch.tensor(corners, dtype=torch.float64), x])
        x = ((x * 2**20).round() / 2**20).sort().values
        return Given(tent("three_units"), tent("two_layer"), x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The units that the sums are made of."""
        counts = relu_count(given.one_layer), relu_count(given.two_layers)
        yield Hypothesis("each network has three rectifiers", counts == (3, 3), f"{counts}")

    def predict(self, given: Given) -> list[float]:
        """The definition, twice."""
        x = given.x
        values = torch.minimum(2 * x, 2 - 2 * x).clamp(min=0).tolist()
        return values + values

    def measure(self, given: Given) -> list[float]:
        """The values of the networks."""
        with torch.no_grad():
            outputs = [net(given.x[:, None])[:, 0] for net in (given.one_layer, given.two_layers)]
        return torch.cat(outputs).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The first form without its third unit."""
        return self.given(rng)._replace(one_layer=shallow_relu([0.0, 0.5], [2.0, -4.0]))

    def figure(self, given: Given) -> Figure:
        """The units and their sum."""
        x, n = given.x, len(given.x)
        measured = self.measure(given)
        units = [
            Curve(c * (x - a).clamp(min=0), x, f"{c:+g} relu(x - {a:g})", "other", dashed=True)
            for c, a in ((2.0, 0.0), (-4.0, 0.5), (2.0, 1.0))
        ]
        show = slice(None, n, max(1, n // 48))
        marks = (
            *units,
            Curve(self.predict(given)[:n], x, "Δ(x)", "predicted"),
            Points(x[show], measured[:n][show], "three units"),
        )
        return Figure("A tent of three rectifiers", x="x", y="Δ(x)", marks=marks)
