r"""Version space of points in the plane.

The weights :math:`w \in \mathbb R^2` with :math:`y_i\langle w, x_i\rangle > 0` for all i form an
open cone. Let :math:`\delta_i` be the angle of :math:`y_i x_i` measured from that of
:math:`y_1 x_1`. If the points are separable, :math:`\max\delta - \min\delta < \pi`, the cone's
share of all directions is

.. math:: \frac{|V|}{2\pi} = \frac{\pi - (\max_i \delta_i - \min_i \delta_i)}{2\pi},

and each further point can only make it smaller.

:source: Perez Jensen (2025), Deep Learning, Section 1.2 and Figure 1.2.
:kind: identity
:cost: instant
:covers: version-space-figure
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Count,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Regions,
    generator,
    option,
    within_interval,
)
from corollary.theory.connectionism.separability import linear_separability
from corollary.theory.connectionism.version_space import (
    SolidAngles,
    signed_angles,
    solid_angles,
    version_space_2d,
)


class Given(NamedTuple):
    """Labelled points of the plane, and a seed for the directions that are tried."""

    x: Float[Tensor, "n 2"]
    y: Float[Tensor, " n"]
    seed: int


@dataclass(frozen=True)
class VersionSpace(Claim[Given]):
    """The share of random directions that separate, against the exact arc."""

    n: int = option(4, low=3, high=50)  # points
    draws: int = option(20_000, low=10_000, high=1_000_000)  # directions to try
    relation = within_interval(level=0.9999, resolution=0.03)  # four deviations of 10,000 draws

    def given(self, rng: Generator) -> Given:
        """Gaussian points, labelled by a random direction."""
        x = torch.randn(self.n, 2, generator=rng, dtype=torch.float64)
        u = torch.randn(2, generator=rng, dtype=torch.float64)
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(x, torch.where(x @ u < 0, -1.0, 1.0).double(), seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A line through the origin separates."""
        found = linear_separability(given.x, given.y, bias=False)
        yield Hypothesis("a line through the origin separates the points", found.separable)

    def predict(self, given: Given) -> float:
        """The share by the extreme angles."""
        _, low, high = signed_angles(given.x, given.y)
        return (math.pi - (high - low)) / (2 * math.pi)

    def measure(self, given: Given) -> Count:
        """The share by trying directions."""
        return Count(int(self._sampled(given).hits[-1]), self.draws)

    def counterexample(self, rng: Generator) -> Given:
        """Three points around the origin with one label: the formula gives a negative share."""
        phi = torch.rand((), generator=rng, dtype=torch.float64) + torch.tensor([0.0, 2.1, -2.1])
        x = torch.stack([phi.cos(), phi.sin()], dim=1)
        return Given(x, torch.ones(3, dtype=torch.float64), 0)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The wedge in weight space, shrinking; and its share as points come in."""
        prefixes = range(1, len(given.x) + 1)
        arcs = [version_space_2d(given.x[:k], given.y[:k]) for k in prefixes]
        shown = sorted({k for k in (0, 1, 2, len(arcs) - 1) if k < len(arcs)})
        wedges = Regions(
            [_wedge(*arcs[k]) for k in shown if arcs[k] is not None],
            [float(k + 1) for k in shown if arcs[k] is not None],
            label="V after 1, 2, 3 and all points",
        )
        plane = Figure(
            "Version space in weight space", x="w₁", y="w₂", equal=True,
            marks=(wedges, *_edges(given.x[: len(shown)])),
        )  # fmt: skip
        found = self._sampled(given)
        low, high = found.interval()
        share = [1.0] + [0.0 if a is None else (a[1] - a[0]) / (2 * math.pi) for a in arcs]
        seen = list(range(len(share)))
        falling = Figure(
            "Each point cuts the version space",
            x="points",
            y="|V| / 2π",
            marks=(
                Curve(share, seen, label="exact arc", role="predicted"),
                Points(seen, found.fraction, "random directions", low=low, high=high),
            ),
        )
        return plane, falling

    def _sampled(self, given: Given) -> SolidAngles:
        return solid_angles(
            given.x, given.y, draws=self.draws, rng=generator(given.seed, "directions")
        )


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
