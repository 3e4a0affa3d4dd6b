r"""Few tubes fill only a small share of a high-dimensional ball.

The m tubes of radius one along lines through the origin, where a network of width m has its
spectrum, fill at most the share

.. math:: \frac{\operatorname{vol}\big(\bigcup_{j\le m} (\operatorname{span}\theta_j + \mathbb B^n)
          \cap r\,\mathbb B^n\big)}{\operatorname{vol}(r\,\mathbb B^n)}
          \le m\,\frac{2r\,V_{n-1}}{r^n\,V_n}

of a ball of radius r, since each lies in a cylinder of length 2r.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.2, Step III; Eldan and Shamir
    (2016), "The power of depth for feedforward neural networks".
:kind: bound
:covers: tube-volume-ratio
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Count, Suppose, at_most, option
from corollary.theory.expressivity.tubes import ball_points, in_tubes, tube_bound


class Given(NamedTuple):
    points: tuple[Tensor, ...]  # uniform in the ball, for each dimension
    directions: tuple[Tensor, ...]  # for each dimension
    radius: float  # of the tubes


def crowd(given: Given, rng: Generator) -> Given:
    """A hundred times as many tubes fill a larger share of the ball."""
    more = (torch.randn(100 * len(d), d.shape[1], generator=rng) for d in given.directions)
    return given._replace(directions=tuple(d.double() for d in more))


class TubeVolume(Claim[Given]):
    r: float = option(2.0, low=1.0, high=10.0)  # radius of the ball
    m: int = option(4, low=1, high=64)  # tubes
    dimensions: tuple[int, ...] = option((4, 6, 8, 10), low=2, high=30)  # values of n
    draws: int = option(30_000, low=100, high=1_000_000)  # points in each dimension

    relation = at_most(level=0.99)  # the exact interval of the share has to lie below the bound
    supposes = (
        Suppose(
            "there are no more than m tubes",
            lambda self, g: all(len(d) <= self.m for d in g.directions),
            without=crowd,
        ),
        Suppose(
            "the tubes have radius one",
            lambda g: g.radius <= 1,
            "Tubes of radius 1.8 fill most of a ball of radius 2.",
            radius=1.8,
        ),
    )
    symbols = "m 2r Vₙ₋₁ / (rⁿ Vₙ)", "share of points in tubes"
    rows = "n = {dimensions}"
    shows = Along("Share of the ball in tubes", x="dimension n", at="dimensions", log="y")

    def given(self, rng: Generator) -> Given:
        points = tuple(ball_points(self.draws, n, self.r, rng=rng) for n in self.dimensions)
        normal = (torch.randn(self.m, n, generator=rng) for n in self.dimensions)
        return Given(points, tuple(d.double() for d in normal), 1.0)

    def predict(self, given: Given) -> list[float]:
        return [tube_bound(n, self.r, self.m) for n in self.dimensions]

    def measure(self, given: Given) -> list[Count]:
        pairs = zip(given.points, given.directions, strict=True)
        return [Count(int(in_tubes(x, d, given.radius).sum()), len(x)) for x, d in pairs]
