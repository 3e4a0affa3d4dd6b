r"""The weights that fit two points in three dimensions exactly form a line.

For n = 2 data points and d = 3 weights each equation :math:`\langle w,x_i\rangle=y_i` is a plane,
and :math:`\{w:Xw=y\}` their intersection: the affine space :math:`w'+\ker X` of dimension
:math:`d-\operatorname{rank}X=1`. Gradient descent from :math:`w_0` lands on the orthogonal
projection of :math:`w_0` on that line, so different starts find different solutions, each the
nearest. Parallel planes with different targets do not meet, and there is nothing to find.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.1, Figure 11.2.
:kind: theorem
:uses: shortest_interpolator
:covers: overparametrized-solution-manifold
:scale-free: theory only draws the line in the figure.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.theory.prerequisites.quadratic_losses import LeastSquares
from corollary.theory.regularization.interpolation import interpolators

VIEW = torch.tensor([[-0.8, 0.6, 0.0], [-0.3, -0.4, 0.85]], dtype=torch.float64)  # onto the page


class Given(NamedTuple):
    X: Float[Tensor, "2 3"]  # two equations for three weights
    y: Float[Tensor, " 2"]
    starts: Float[Tensor, "k 3"]


def parallel(given: Given) -> Given:
    """The two planes are parallel and do not meet."""
    X, y, starts = given
    return Given(torch.stack([X[0], X[0]]), torch.stack([y[0], y[0] + 1]), starts)


class SolutionLine(Claim[Given]):
    starts: int = option(6, low=1, high=100)  # starting points
    steps: int = option(400, low=50, high=10_000)  # steps of gradient descent

    relation = equals(ulps=2**20, scale=1.0)  # singular values 1 and 2: 400 steps leave 1e-20
    supposes = Suppose(
        "the two planes are not parallel",
        lambda g: torch.linalg.cross(g.X[0], g.X[1]).norm() - 1e-9,
        without=parallel,
    )
    symbols = "projection of the start on the line", "end of descent, and its residual"

    def given(self, rng: Generator) -> Given:
        U, _, Vt = torch.linalg.svd(normal(rng, 2, 3), full_matrices=False)
        X = (U * torch.tensor([2.0, 1.0], dtype=torch.float64)) @ Vt
        return Given(X, normal(rng, 2), 2 * normal(rng, self.starts, 3))

    def predict(self, given: Given) -> Tensor:
        """By the cross product of the two normals; and no equation is missed."""
        direction = torch.linalg.cross(given.X[0], given.X[1])
        direction = direction / direction.norm().clamp(min=1e-9)
        inverse: Tensor = torch.linalg.pinv(torch.stack([*given.X, direction]))
        point = inverse @ torch.cat([given.y, given.y.new_zeros(1)])
        along = (given.starts - point) @ direction
        ends = point + along[:, None] * direction
        return torch.cat([ends.flatten(), given.y.new_zeros(2 * len(ends))])

    def measure(self, given: Given) -> Kept:
        eta = 0.5 * 2 / float(torch.linalg.matrix_norm(given.X, 2)) ** 2
        loss = LeastSquares(given.X, given.y, 0.5)
        paths = torch.stack([loss.descend(w, eta=eta, steps=self.steps) for w in given.starts])
        missed = paths[:, -1] @ given.X.T - given.y
        return Kept(torch.cat([paths[:, -1].flatten(), missed.flatten()]), paths=paths)

    @picture(
        "Each run ends at the interpolator nearest to its start",
        x="the space of weights, seen from one side",
        y="upwards",
        equal=True,
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        point, kernel = interpolators(trial.given.X, trial.given.y)
        ends = torch.stack([point - 4 * kernel[:, 0], point + 4 * kernel[:, 0]]) @ VIEW.T
        paths = trial.kept.paths @ VIEW.T
        (x0, y0), (x1, y1) = paths[:, 0].T, paths[:, -1].T
        yield Curve(ends[:, 1], x=ends[:, 0], label="all interpolators", role="predicted")
        for k, p in enumerate(paths[:6]):
            yield Curve(p[:, 1], x=p[:, 0], label=f"descent from start {k + 1}", dashed=True)
        yield Points(x0, y0, label="starts", role="other")
        yield Points(x1, y1, label="where descent ends")
