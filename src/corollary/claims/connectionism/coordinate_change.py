r"""A change of coordinates makes rings separable.

Two concentric rings share the origin as a point of both convex hulls, so no line separates them.
In polar coordinates :math:`(x_1,x_2)\mapsto(r,\vartheta)`, or after :math:`x\mapsto\|x\|^2`, a line
(a threshold on the radius) does, as soon as every inner radius is below every outer one. The claim
predicts 0, 1, 1 for the plane, the polar and the squared coordinates, and solves a linear program
for each; the answer comes with a separating hyperplane or with a point that both hulls share.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.1 and Figure 2.1; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Coordinate change.
:kind: experiment
:cost: instant
:covers: coordinate-change-classification
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Hypothesis, Level, Points, equals, option
from corollary.data.rings import rings
from corollary.theory.connectionism.coordinates import polar, squared_radius, widest_gap
from corollary.theory.connectionism.separability import linear_separability


class Given(NamedTuple):
    """Two labelled rings."""

    x: Float[Tensor, "n 2"]  # points
    y: Float[Tensor, " n"]  # labels: -1 inner ring, +1 outer ring


@dataclass(frozen=True)
class CoordinateChange(Claim[Given]):
    """Separability before and after."""

    n: int = option(200, low=8)  # points
    noise: float = option(0.3, low=0.0, high=0.9)  # half width of each ring; radii are 1 and 2
    relation = equals()  # yes and no, as 1 and 0

    def given(self, rng: Generator) -> Given:
        """Two rings."""
        return Given(*rings(self.n, self.noise, rng=rng))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The rings surround the origin and do not overlap."""
        inner, outer = given.x[given.y < 0], given.x[given.y > 0]
        gap = max(float(widest_gap(inner)), float(widest_gap(outer)))
        yield Hypothesis("both rings surround the origin", gap < math.pi, f"widest gap {gap:.2f}")
        low, high = inner.norm(dim=1).max(), outer.norm(dim=1).min()
        sentence = "every inner radius is below every outer one"
        yield Hypothesis(sentence, low < high, f"{float(low):.3f} and {float(high):.3f}")

    def predict(self, given: Given) -> list[float]:
        """Not in the plane; in polar and in squared coordinates."""
        return [0.0, 1.0, 1.0]

    def measure(self, given: Given) -> list[float]:
        """Three linear programs."""
        views = (given.x, polar(given.x), squared_radius(given.x))
        return [float(linear_separability(v, given.y).separable) for v in views]

    def counterexample(self, rng: Generator) -> Given:
        """Rings so wide that they overlap."""
        return Given(*rings(self.n, 0.9, inner=1.0, outer=1.5, rng=rng))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Before and after, with the separating radius."""
        after = polar(given.x)

        def dots(view: Tensor, label: float, name: str) -> Points:
            part = view[given.y == label]
            return Points(part[:, 0], part[:, 1], label=name, role=ROLE[label])  # type: ignore[arg-type]

        def classes(view: Tensor) -> tuple[Points, Points]:
            return dots(view, -1, "y = −1"), dots(view, 1, "y = +1")

        found = linear_separability(squared_radius(given.x), given.y)
        assert found.w is not None and found.b is not None
        radius = math.sqrt(max(0.0, -found.b / float(found.w[0])))
        line = Level(radius, label="separating radius", role="predicted", axis="x")
        return (
            Figure("No line separates", x="x₁", y="x₂", marks=classes(given.x), equal=True),
            Figure("A line separates", x="r", y="ϑ", marks=(*classes(after), line)),
        )


ROLE = {-1: "measured", 1: "other"}
