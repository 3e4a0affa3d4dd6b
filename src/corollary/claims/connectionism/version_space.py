r"""Version space of points in the plane.

The weights :math:`w \in \mathbb R^2` with :math:`y_i\langle w, x_i\rangle > 0` for all i form an
open cone. Let :math:`\delta_i` be the angle of :math:`y_i x_i` measured from that of
:math:`y_1 x_1`. If the points are separable, :math:`\max\delta - \min\delta < \pi`, the cone's
share of all directions is

.. math:: \frac{|V|}{2\pi} = \frac{\pi - (\max_i \delta_i - \min_i \delta_i)}{2\pi},

and each further point can only make it smaller.

:source: Perez Jensen (2025), Deep Learning, Section 1.2 and Figure 1.2.
:kind: identity
:covers: version-space-figure
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Count, Kept, Suppose, Trial, option, within_interval
from corollary.core.picture import Curve, Figure, Points, Regions
from corollary.core.randomness import normal, uniform
from corollary.theory.connectionism.separability import linear_separability
from corollary.theory.connectionism.version_space import (
    signed_angles,
    solid_angles,
    version_space_2d,
)


class Given(NamedTuple):
    x: Float[Tensor, "n 2"]  # points
    y: Float[Tensor, " n"]  # labels, -1 or +1


def around(rng: Generator) -> Given:
    """Three points around the origin have one label, and the formula gives a negative share."""
    phi = uniform(rng, 1) + torch.tensor([0.0, 2.1, -2.1], dtype=torch.float64)
    return Given(torch.stack([phi.cos(), phi.sin()], dim=1), torch.ones_like(phi))


class VersionSpace(Claim[Given]):
    n: int = option(4, low=3, high=50)  # points
    draws: int = option(20_000, low=10_000, high=1_000_000)  # directions to try

    relation = within_interval(level=0.9999, resolution=0.03)  # four deviations of 10,000 draws
    supposes = Suppose(
        "a line through the origin separates the points",
        lambda g: linear_separability(*g, bias=False).separable,
        without=around,
    )
    symbols = "|V| / 2π", "share of random directions"

    def given(self, rng: Generator) -> Given:
        x, u = normal(rng, self.n, 2), normal(rng, 2)
        return Given(x, torch.where(x @ u < 0, -1.0, 1.0).double())

    def predict(self, given: Given) -> float:
        _, low, high = signed_angles(given.x, given.y)
        return (math.pi - (high - low)) / (2 * math.pi)

    def measure(self, given: Given, rng: Generator) -> Kept:
        found = solid_angles(*given, draws=self.draws, rng=rng)
        return Kept(Count(int(found.hits[-1]), self.draws), found=found)

    def figure(self, trial: Trial[Given]) -> tuple[Figure, Figure]:
        x, y = trial.given
        arcs = [version_space_2d(x[:k], y[:k]) for k in range(1, len(x) + 1)]
        first = sorted({0, 1, 2, len(arcs) - 1} & set(range(len(arcs))))
        shown = [k for k in first if arcs[k] is not None]
        wedges = Regions(
            [_wedge(*arc) for k in shown if (arc := arcs[k])],
            [float(k + 1) for k in shown],
            label="V after 1, 2, 3 and all points",
        )
        marks = (wedges, *_edges(x[: len(shown)]))
        plane = Figure("Version space in weight space", x="w₁", y="w₂", equal=True, marks=marks)
        low, high = trial.kept.found.interval()
        share = [1.0] + [0.0 if a is None else (a[1] - a[0]) / (2 * math.pi) for a in arcs]
        seen = range(len(share))
        fraction = trial.kept.found.fraction
        lines = (
            Curve(share, seen, label="exact arc", role="predicted"),
            Points(seen, fraction, "random directions", low=low, high=high),
        )
        title = "Each point cuts the version space"
        return plane, Figure(title, x="points", y="|V| / 2π", marks=lines)


def _wedge(low: float, high: float) -> list[list[float]]:
    """The cone cut off at length 1, as a polygon."""
    arc = [low + (high - low) * k / 32 for k in range(33)]
    return [[0.0, 0.0]] + [[math.cos(phi), math.sin(phi)] for phi in arc]


def _edges(x: Float[Tensor, "k 2"]) -> list[Curve]:
    """For each point the line of weights that put it on the boundary."""
    lines = []
    for k, (a, b) in enumerate((x / x.norm(dim=1, keepdim=True)).tolist(), start=1):
        label = f"⟨w, x_{k}⟩ = 0"
        lines.append(Curve([a, -a], [-b, b], label, role="other", dashed=True))
    return lines
