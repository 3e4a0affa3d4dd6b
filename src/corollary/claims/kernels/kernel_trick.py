r"""A feature map makes data separable.

Two rings in the plane are not separated by any line. After the quadratic feature map of
:math:`(x, 1)` a hyperplane separates them as soon as a conic does in the plane: the boundary is
linear in feature space and curved in the plane.

:source: Lucchi (2025), Foundations of Deep Learning, Figure 7.1; Boser, Guyon and Vapnik (1992), "A
    training algorithm for optimal margin classifiers".
:kind: experiment
:cost: instant
:covers: kernel-trick-classification, polynomial-kernel-feature-map
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.rings import rings
from corollary.theory.connectionism.separability import linear_separability
from corollary.theory.kernels.kernel import PolynomialKernel


class Given(NamedTuple):
    """Labelled points of the plane."""

    x: Float[Tensor, "n 2"]
    y: Float[Tensor, " n"]  # -1 inside, +1 outside


class KernelTrick(Claim[Given]):
    n: int = option(80, low=8, high=400)  # points
    noise: float = option(0.3, low=0.0, high=0.45)  # half width of each ring
    relation = equals()  # yes or no, both proved by a linear program

    def given(self, rng: Generator) -> Given:
        """Rings of radius 1 and 2."""
        return Given(*rings(self.n, self.noise, rng=rng))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """What makes the answer certain."""
        r = given.x.norm(dim=1)
        inner, outer = r[given.y < 0], r[given.y > 0]
        yield Hypothesis("a circle separates the classes", bool(inner.max() < outer.min()))
        angles = torch.atan2(given.x[:, 1], given.x[:, 0])[given.y > 0].sort().values
        gaps = torch.cat([angles.diff(), angles[:1] + 2 * torch.pi - angles[-1:]])
        yield Hypothesis("the outer class surrounds the origin", bool(gaps.max() < torch.pi))

    def predict(self, given: Given) -> list[float]:
        """No in the plane, yes in feature space."""
        return [0.0, 1.0]

    def measure(self, given: Given) -> list[float]:
        """Decided by a separating hyperplane or by a common point of the hulls."""
        phi = _features(given.x)
        return [float(bool(linear_separability(t, given.y))) for t in (given.x, phi)]

    def counterexample(self, rng: Generator) -> Given:
        """An inner point labelled as an outer one sits among four inner ones."""
        x, y = self.given(rng)
        extra = torch.tensor([[0.0, 0.0], [0.1, 0.1], [0.1, -0.1], [-0.1, 0.1], [-0.1, -0.1]])
        label = torch.tensor([1.0, -1.0, -1.0, -1.0, -1.0])
        return Given(torch.cat([x, extra.to(x)]), torch.cat([y, label.to(y)]))

    def figure(self, given: Given) -> Figure:
        """The rings and the curve that the hyperplane of feature space cuts out."""
        found = linear_separability(_features(given.x), given.y)
        turn = torch.linspace(0, 2 * torch.pi, 181, dtype=torch.float64)
        ray = torch.stack([turn.cos(), turn.sin()], dim=1)
        boundary = _boundary(ray, found.w, found.b)[:, None] * ray
        inner, outer = given.x[given.y < 0], given.x[given.y > 0]
        return Figure(
            "A curved boundary that is linear in feature space",
            x="x₁",
            y="x₂",
            equal=True,
            marks=(
                Curve(
                    boundary[:, 1], x=boundary[:, 0], label="<w, φ(x)> + b = 0", role="predicted"
                ),
                Points(inner[:, 0], inner[:, 1], label="y = -1"),
                Points(outer[:, 0], outer[:, 1], label="y = +1", role="other"),
            ),
        )


def _features(x: Tensor) -> Tensor:
    return PolynomialKernel(2, 1.0).features(x)


def _boundary(ray: Tensor, w: Tensor, b: float) -> Tensor:
    """Where each ray from the origin meets the boundary first."""
    radii = torch.linspace(0, 3, 301, dtype=torch.float64)
    values = torch.stack([_features(r * ray) @ w + b for r in radii])
    crossing = (values.sign() != values[0].sign()).to(torch.uint8).argmax(dim=0)
    return radii[crossing]
