r"""What the penalty of a T-net bounds.

A T-net multiplies every point of a cloud by one matrix :math:`A`. For all points
:math:`x\neq y`

.. math:: \Bigl|\frac{\|xA-yA\|^2}{\|x-y\|^2}-1\Bigr|\le\|I-AA^\top\|_F ,

so distances are kept iff the penalty :math:`\|I-AA^\top\|_F^2` is zero, and a small penalty means
an almost rigid map. Nothing makes it zero by itself: after a step away from its start a T-net
bends the cloud.

:source: Perez Jensen (2025), Deep Learning, Section 7.3; Qi, Su, Mo and Guibas (2017), "PointNet:
    deep learning on point sets for 3D classification and segmentation", Equation 2.
:kind: bound
:cost: instant
:covers: pointnet-t-net
:erratum: [loose] The notes say that T-nets apply rigid transformations; the matrices are
    unconstrained, and measured here is by how much they change distances. Invariant to the order
    is the matrix, the transformed cloud is equivariant.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.data.point_clouds import point_clouds
from corollary.models.t_net import TNet, orthogonality_penalty


class Given(NamedTuple):
    """A cloud, the predicted matrix, and the matrix that moves each point."""

    X: Float[Tensor, "M 3"]
    A: Float[Tensor, "3 3"]
    each: Float[Tensor, "M 3 3"]


class TNetDistortion(Claim[Given]):
    M: int = option(60, low=2, high=500)  # points of the cloud
    step: float = option(0.1, low=1e-3, high=1.0)  # noise on the weights of the T-net
    relation = at_most(ulps=64)  # differences of squares of coordinates

    def given(self, rng: Generator) -> Given:
        """A cloud and a T-net some way from its start."""
        X = point_clouds(1, self.M, rng=rng)[0][0]
        A = _matrix(X, self.step, rng)
        return Given(X, A, A.expand(self.M, 3, 3))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """One matrix for all."""
        yield Hypothesis("every point is moved by the same matrix A", (given.each == given.A).all())

    def predict(self, given: Given) -> float:
        """The Frobenius norm of the defect."""
        return float(orthogonality_penalty(given.A).sqrt())

    def measure(self, given: Given) -> float:
        """Over all pairs of points."""
        return float(_distortion(given.X, given.each).max())

    def counterexample(self, rng: Generator) -> Given:
        """Every other point is moved by the matrix's negative."""
        given = self.given(rng)
        sign = torch.where(torch.arange(self.M) % 2 == 0, 1.0, -1.0).double()
        return given._replace(each=sign[:, None, None] * given.A)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The cloud before and after; the bound as the network moves away from its start."""
        moved = given.X @ given.A
        cloud = Figure(
            "The map is linear, not rigid",
            x="x₁",
            y="x₂",
            equal=True,
            marks=(
                Points(
                    given.X[:, 0], given.X[:, 1], label="cloud on the unit sphere", role="other"
                ),
                Points(moved[:, 0], moved[:, 1], label="the same times A"),
            ),
        )
        steps = [0.02, 0.04, 0.06, 0.08, 0.1, 0.12]
        found, bounds = [], []
        for step in steps:
            A = _matrix(given.X, step, Generator().manual_seed(0))
            found.append(float(_distortion(given.X, A.expand(len(given.X), 3, 3)).max()))
            bounds.append(float(orthogonality_penalty(A).sqrt()))
        order = sorted(range(len(steps)), key=bounds.__getitem__)
        sweep = Figure(
            "Distortion and penalty",
            x="‖I − AAᵀ‖",
            y="largest relative change of a squared distance",
            marks=(
                Curve([bounds[i] for i in order], x=[bounds[i] for i in order],
                      label="‖I − AAᵀ‖", role="predicted"),
                Points(bounds, found, label="measured on the cloud"),
            ),
        )  # fmt: skip
        return cloud, sweep


def _matrix(X: Tensor, step: float, rng: Generator) -> Tensor:
    net = TNet(3, local=(8, 16), after=(8,), rng=rng)
    with torch.no_grad():
        for p in net.parameters():
            p += step * torch.randn(p.shape, generator=rng, dtype=p.dtype)
        return net.matrix(X)


def _distortion(X: Tensor, each: Tensor) -> Tensor:
    moved = (X[:, None] @ each)[:, 0]
    before = ((X[:, None] - X[None]) ** 2).sum(-1)
    after = ((moved[:, None] - moved[None]) ** 2).sum(-1)
    pairs = torch.ones_like(before).triu(1) > 0
    return (after[pairs] / before[pairs] - 1).abs()
