r"""A change of coordinates makes rings separable.

Two concentric rings share the origin as a point of both convex hulls, so no line separates them.
In polar coordinates :math:`(x_1,x_2)\mapsto(r,\vartheta)`, or after :math:`x\mapsto\|x\|^2`, a line
(a threshold on the radius) does, as soon as every inner radius is below every outer one. The claim
predicts 0, 1, 1 for the plane, the polar and the squared coordinates, and solves a linear program
for each; the answer comes with a separating hyperplane or with a point that both hulls share.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.1 and Figure 2.1; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Coordinate change.
:kind: experiment
:covers: coordinate-change-classification
"""

import math
from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Kept, Level, Points, Suppose, Trial, equals, option
from corollary.data.rings import rings
from corollary.theory.connectionism.coordinates import polar, squared_radius, widest_gap
from corollary.theory.connectionism.separability import linear_separability


class Given(NamedTuple):
    x: Float[Tensor, "n 2"]  # points
    y: Float[Tensor, " n"]  # labels: -1 inner ring, +1 outer ring


def widest(given: Given) -> tuple[bool, str]:
    """No half-plane through the origin is free of points."""
    gap = max(float(widest_gap(given.x[given.y == label])) for label in (-1, 1))
    return gap < math.pi, f"widest gap {gap:.2f}"


def radii(given: Given) -> tuple[bool, str]:
    """The largest inner and the smallest outer one."""
    r = given.x.norm(dim=1)
    low, high = float(r[given.y < 0].max()), float(r[given.y > 0].min())
    return low < high, f"{low:.3f} and {high:.3f}"


def wedge(given: Given) -> Given:
    """If the points fill only a narrow wedge of the rings, a line separates them."""
    inside = given.x[:, 1].abs() < 0.4 * given.x[:, 0]
    return Given(given.x[inside], given.y[inside])


def overlapping(self: "CoordinateChange", rng: Generator) -> Given:
    """The rings are so wide that they overlap, and the radius does not separate them."""
    return Given(*rings(self.n, 0.9, inner=1.0, outer=1.5, rng=rng))


class CoordinateChange(Claim[Given]):
    n: int = option(200, low=8)  # points
    noise: float = option(0.3, low=0.0, high=0.9)  # half width of each ring; radii are 1 and 2

    relation = equals()  # yes and no, as 1 and 0
    supposes = (
        Suppose("both rings surround the origin", widest, without=wedge),
        Suppose("every inner radius is below every outer one", radii, without=overlapping),
    )
    symbols = "a line separates", "a linear program finds one"
    predicts = [0.0, 1.0, 1.0]
    rows = "in the plane", "in polar coordinates", "by the squared radius"

    def given(self, rng: Generator) -> Given:
        return Given(*rings(self.n, self.noise, rng=rng))

    def measure(self, given: Given) -> Kept:
        views = (given.x, polar(given.x), squared_radius(given.x))
        found = [linear_separability(view, given.y) for view in views]
        return Kept([float(f.separable) for f in found], plane=found[-1])

    def figure(self, trial: Trial[Given]) -> tuple[Figure, Figure]:
        x, y = trial.given

        def classes(view: Tensor) -> tuple[Points, Points]:
            (a, b), (c, d) = view[y < 0].T, view[y > 0].T
            return Points(a, b, "y = −1"), Points(c, d, "y = +1", "other")

        plane = trial.kept.plane
        radius = math.sqrt(max(0.0, -plane.b / float(plane.w[0])))
        line = Level(radius, label="separating radius", role="predicted", axis="x")
        return (
            Figure("No line separates", x="x₁", y="x₂", marks=classes(x), equal=True),
            Figure("A line separates", x="r", y="ϑ", marks=(*classes(polar(x)), line)),
        )
