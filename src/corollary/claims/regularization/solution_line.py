r"""The interpolators of two points in three dimensions are a line.

For n = 2 data points and d = 3 weights each equation :math:`\langle w,x_i\rangle=y_i` is a plane,
and :math:`\{w:Xw=y\}` their intersection: the affine space :math:`w'+\ker X` of dimension
:math:`d-\operatorname{rank}X=1`. Gradient descent from :math:`w_0` lands on the orthogonal
projection of :math:`w_0` on that line, so different starts find different solutions, each the
nearest. Parallel planes with different targets do not meet, and there is nothing to find.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.1, Figure 11.2.
:kind: experiment
:cost: instant
:covers: overparametrized-solution-manifold
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.prerequisites.quadratic_losses import LeastSquares

VIEW = torch.tensor([[-0.8, 0.6, 0.0], [-0.3, -0.4, 0.85]], dtype=torch.float64)  # onto the page


class Given(NamedTuple):
    """Two equations for three weights, and starts."""

    X: Float[Tensor, "2 3"]
    y: Float[Tensor, " 2"]
    starts: Float[Tensor, "k 3"]


class SolutionLine(Claim[Given]):
    starts: int = option(6, low=1, high=100)  # starting points
    steps: int = option(400, low=50, high=10_000)  # steps of gradient descent
    relation = equals(ulps=2**20, scale=1.0)  # singular values 1 and 2: 400 steps leave 1e-20

    def given(self, rng: Generator) -> Given:
        """Planes with singular values 1 and 2, and normal starts."""
        normal = torch.randn(2, 3, generator=rng, dtype=torch.float64)
        U, _, Vt = torch.linalg.svd(normal, full_matrices=False)
        y = torch.randn(2, generator=rng, dtype=torch.float64)
        starts = 2 * torch.randn(self.starts, 3, generator=rng, dtype=torch.float64)
        return Given((U * torch.tensor([2.0, 1.0], dtype=torch.float64)) @ Vt, y, starts)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The planes meet."""
        direction = torch.linalg.cross(given.X[0], given.X[1])
        size = float(direction.norm())
        yield Hypothesis("the two planes are not parallel", size > 1e-9, f"|x₁ × x₂| = {size:.3g}")

    def predict(self, given: Given) -> list[float]:
        """The projections, by the cross product of the two normals."""
        point, direction = _line(given)
        along = (given.starts - point) @ direction
        return (point + along[:, None] * direction).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """Gradient descent from each start."""
        return _paths(given, self.steps)[:, -1].flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The second plane is parallel to the first."""
        X, y, starts = self.given(rng)
        return Given(torch.stack([X[0], X[0]]), torch.stack([y[0], y[0] + 1]), starts)

    def figure(self, given: Given) -> Figure:
        """The line, the starts and the ways of descent, seen from one side."""
        point, direction = _line(given)
        paths = _paths(given, self.steps) @ VIEW.T
        ends = torch.stack([point - 4 * direction, point + 4 * direction]) @ VIEW.T
        shortest = point @ VIEW.T
        marks = [Curve(ends[:, 1], x=ends[:, 0], label="all interpolators", role="predicted")]
        for k, path in enumerate(paths[:6]):
            name = f"descent from start {k + 1}"
            marks.append(Curve(path[:, 1], x=path[:, 0], label=name, dashed=True))
        marks += [
            Points(paths[:, 0, 0], paths[:, 0, 1], label="starts", role="other"),
            Points(paths[:, -1, 0], paths[:, -1, 1], label="where descent ends"),
            Points(shortest[:1], shortest[1:], label="shortest interpolator", role="predicted"),
        ]
        return Figure(
            "Each start finds its own interpolator, the nearest one",
            x="the space of weights, seen from one side",
            y="upwards",
            equal=True,
            marks=tuple(marks),
        )


def _line(given: Given) -> tuple[Tensor, Tensor]:
    """The point nearest to 0 and the unit direction of the intersection (any for parallel ones)."""
    direction = torch.linalg.cross(given.X[0], given.X[1])
    size = direction.norm()
    direction = direction / size if size > 1e-9 else torch.zeros_like(direction)
    if size > 1e-9:
        third = torch.stack([*given.X, direction])
        return torch.linalg.solve(third, torch.cat([given.y, given.y.new_zeros(1)])), direction
    return given.X[0] * given.y[0] / given.X[0].square().sum(), direction


def _paths(given: Given, steps: int) -> Tensor:
    """Starts, steps, three weights; the step is half of what is allowed."""
    eta = 0.5 * 2 / float(torch.linalg.matrix_norm(given.X, 2)) ** 2
    loss = LeastSquares(given.X, given.y, 0.5)
    return torch.stack([loss.descend(w, eta=eta, steps=steps) for w in given.starts])
