r"""Tubes cannot fill the ball.

The m tubes of radius one along lines through the origin, where a network of width m has its
spectrum, fill at most the share

.. math:: \frac{\operatorname{vol}\big(\bigcup_{j\le m} (\operatorname{span}\theta_j + \mathbb B^n)
          \cap r\,\mathbb B^n\big)}{\operatorname{vol}(r\,\mathbb B^n)}
          \le m\,\frac{2r\,V_{n-1}}{r^n\,V_n}

of a ball of radius r, since each lies in a cylinder of length 2r.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.2, Step III; Eldan and Shamir
    (2016), "The power of depth for feedforward neural networks".
:kind: bound
:cost: instant
:covers: tube-volume-ratio
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Count, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.expressivity.tubes import ball_points, in_tubes, tube_bound, tube_fraction


class Given(NamedTuple):
    """Points uniform in the ball and directions, for each dimension; the tubes' true radius."""

    points: tuple[Tensor, ...]
    directions: tuple[Tensor, ...]
    radius: float


@dataclass(frozen=True)
class TubeVolume(Claim[Given]):
    """Share of drawn points of the ball that lie in a tube, for growing dimensions."""

    r: float = option(2.0, low=1.0, high=10.0)  # radius of the ball
    m: int = option(4, low=1, high=64)  # tubes
    dimensions: tuple[int, ...] = option((4, 6, 8, 10), low=2, high=30)  # values of n
    draws: int = option(30_000, low=100, high=1_000_000)  # points in each dimension
    relation = at_most(level=0.99)  # the exact interval of the share has to lie below the bound

    def given(self, rng: Generator) -> Given:
        """Points and directions at random."""
        points = tuple(ball_points(self.draws, n, self.r, rng=rng) for n in self.dimensions)
        directions = tuple(
            torch.randn(self.m, n, generator=rng, dtype=torch.float64) for n in self.dimensions
        )
        return Given(points, directions, 1.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The tubes."""
        counts = all(len(d) <= self.m for d in given.directions)
        yield Hypothesis("there are no more than m tubes", counts)
        yield Hypothesis("the tubes have radius one", given.radius <= 1, f"{given.radius:g}")

    def predict(self, given: Given) -> list[float]:
        """Volume of the cylinders over that of the ball."""
        return [tube_bound(x.shape[1], self.r, self.m) for x in given.points]

    def measure(self, given: Given) -> list[Count]:
        """Hits of the drawn points."""
        pairs = zip(given.points, given.directions, strict=True)
        return [Count(int(in_tubes(x, d, given.radius).sum()), len(x)) for x, d in pairs]

    def counterexample(self, rng: Generator) -> Given:
        """Tubes as wide as 0.9 of the ball."""
        return self.given(rng)._replace(radius=0.9 * self.r)

    def figure(self, given: Given) -> Figure:
        """Shares against the dimension."""
        n = list(self.dimensions)
        reads = [c.read(0.99) for c in self.measure(given)]
        shares, low, high = ([getattr(c, k) for c in reads] for k in ("value", "low", "high"))
        marks = (
            Curve(self.predict(given), n, "m 2r Vₙ₋₁ / (rⁿ Vₙ)", "predicted"),
            Points(n, shares, f"points in {self.m} tubes, 99 %", low=low, high=high),
            Curve([tube_fraction(k, self.r) for k in n], n, "one tube, exact", "other"),
        )
        return Figure("Share of the ball in tubes", "n", "share", marks, log_y=True)
