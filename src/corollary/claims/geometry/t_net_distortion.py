r"""The penalty of a T-net bounds the distortion of distances.

A T-net multiplies every point of a cloud by one matrix :math:`A`. For all points
:math:`x\neq y`

.. math:: \Bigl|\frac{\|xA-yA\|^2}{\|x-y\|^2}-1\Bigr|\le\|I-AA^\top\|_F ,

so distances are kept iff the penalty :math:`\|I-AA^\top\|_F^2` is zero, and a small penalty means
an almost rigid map. Nothing makes it zero by itself: after a step away from its start a T-net
bends the cloud.

:source: Perez Jensen (2025), Deep Learning, Section 7.3; Qi, Su, Mo and Guibas (2017), "PointNet:
    deep learning on point sets for 3D classification and segmentation", Equation 2.
:kind: bound
:uses: singular_vectors
:covers: pointnet-t-net
:erratum: [loose] The notes say that T-nets apply rigid transformations; the matrices are
    unconstrained, and measured here is by how much they change distances. Invariant to the order
    is the matrix, the transformed cloud is equivariant.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Sweep, Trial, at_most, normal, option
from corollary.core.picture import Marks, Points, picture
from corollary.data.point_clouds import point_clouds
from corollary.models.t_net import TNet, orthogonality_penalty


class Given(NamedTuple):
    X: Float[Tensor, "M 3"]  # a cloud
    A: Float[Tensor, "3 3"]  # the predicted matrix
    each: Float[Tensor, "M 3 3"]  # the matrix that moves each point


class TNetDistortion(Claim[Given]):
    M: int = option(60, low=2, high=500)  # points of the cloud
    step: float = option(0.1, low=1e-3, high=1.0)  # noise on the weights of the T-net

    relation = at_most(ulps=64)  # differences of squares of coordinates
    supposes = Suppose(
        "every point is moved by the same matrix A",
        lambda g: bool((g.each == g.A).all()),
        "Every other point is moved by −A, so distances between neighbours change a lot.",
        each=lambda g: (1.0 - 2.0 * (torch.arange(len(g.X)).double() % 2))[:, None, None] * g.A,
    )
    symbols = "‖I − AAᵀ‖", "largest relative change of a squared distance"
    shows = Sweep(
        "Distortion of distances and penalty",
        "step",
        (0.02, 0.04, 0.06, 0.1, 0.15),
        x="noise on weights",
    )

    def given(self, rng: Generator) -> Given:
        X = point_clouds(1, self.M, rng=rng)[0][0]
        net = TNet(3, local=(8, 16), after=(8,), rng=rng)
        with torch.no_grad():
            for p in net.parameters():
                p.add_(self.step * normal(rng, *p.shape))
            A = net.matrix(X)
        return Given(X, A, A.expand(self.M, 3, 3))

    def predict(self, given: Given) -> Tensor:
        return orthogonality_penalty(given.A).sqrt()

    def measure(self, given: Given) -> Tensor:
        moved = (given.X[:, None] @ given.each)[:, 0]
        i, j = torch.triu_indices(len(moved), len(moved), 1)
        before, after = ((Z[i] - Z[j]).square().sum(1) for Z in (given.X, moved))
        return (after / before - 1).abs().max()

    def tight(self) -> Given:
        """Two points along the only direction that A stretches."""
        A, X = torch.diag(torch.tensor([1.5, 1.0, 1.0]).double()), torch.zeros(2, 3).double()
        X[1, 0] = 1.0
        return Given(X, A, A.expand(2, 3, 3))

    @picture("The map is linear, not rigid", x="x₁", y="x₂", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        X, moved = trial.given.X, trial.given.X @ trial.given.A
        yield Points(X[:, 0], X[:, 1], label="cloud on the unit sphere", role="other")
        yield Points(moved[:, 0], moved[:, 1], label="the same times A")
