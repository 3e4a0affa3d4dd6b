r"""The output of a PointNet depends on few critical points.

The global feature :math:`g=\max_m h(x_m)\in\mathbb{R}^K` of a cloud is attained, entry by entry, by
at most :math:`K` of its points. These *critical* points :math:`C` give it alone:

.. math:: g(S)=g(X)\qquad\text{for every}\qquad C\subseteq S\subseteq X,

so all others may be removed without a trace.

:source: Perez Jensen (2025), Deep Learning, Section 7.3; Qi, Su, Mo and Guibas (2017), "PointNet:
    deep learning on point sets for 3D classification and segmentation", Theorem 2.
:kind: theorem
:uses: order_invariance
:covers: pointnet
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Claim, Marks, Parity, Suppose, Trial, equals, near, picture, scatter
from corollary.data.point_clouds import point_clouds
from corollary.models.pointnet import PointNetCls, PointNetFeatures


class Given(NamedTuple):
    X: Float[Tensor, "M 3"]  # a cloud
    net: PointNetFeatures
    kept: tuple[Int[Tensor, " s"], ...]  # sets S of points that stay


def missing(g: Given) -> int:
    """Critical points that some set S lacks."""
    critical = g.net.critical_points(g.X)
    return max(int((~torch.isin(critical, S)).sum()) for S in g.kept)


def moved(g: Given) -> Tensor:
    """The change of the points' features when the others go."""
    h = g.net.of_points(g.X)[1]
    return torch.cat([g.net.of_points(g.X[S])[1] - h[S] for S in g.kept])


def aligned(given: Given, rng: Generator) -> Given:
    """With T-nets, removing points changes the matrix and therefore every feature."""
    width = given.net.deep.widths[-1]
    net = PointNetFeatures((16, 16), (width,), align=True, rng=rng)
    for p in net.parameters():
        p.data += 0.1 * torch.randn(p.shape, generator=rng, dtype=p.dtype)
    return given._replace(net=net, kept=(net.critical_points(given.X),))


class PointnetCriticalPoints(Claim[Given]):
    M: int = 400  # points of the cloud
    K: int = 32  # global features

    relation = equals(ulps=64, scale=1.0)  # matrix products of other sizes are rounded otherwise
    supposes = (
        Suppose(
            "S contains the critical points",
            lambda g: (missing(g) == 0, f"{missing(g)} are missing"),
            "One critical point is removed, and its feature is lost.",
            kept=lambda g: tuple(S[S != g.net.critical_points(g.X)[0]] for S in g.kept),
        ),
        Suppose(
            "the features of a point do not depend on the others",
            lambda g: near(moved(g), 0.0),
            without=aligned,
        ),
    )
    symbols = "g(X)", "g(S)"
    shows = Parity("The global feature of the remaining points")

    def given(self, rng: Generator) -> Given:
        X = point_clouds(1, self.M, rng=rng)[0][0]
        net = PointNetCls(5, local=(16, 16), deep=(self.K,), align=False, rng=rng).features
        critical = net.critical_points(X)
        some = torch.cat([critical, torch.randperm(self.M, generator=rng)[: self.M // 2]]).unique()
        return Given(X, net, (critical, some))

    def predict(self, given: Given) -> Tensor:
        out: Tensor = given.net(given.X)[1].detach().repeat(len(given.kept))
        return out

    def measure(self, given: Given) -> Tensor:
        return torch.cat([given.net(given.X[S])[1].detach() for S in given.kept])

    @picture("Critical points, front of the cloud", x="x₁", y="x₂", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        X, _, (critical, *_) = trial.given
        few = X[critical]
        yield scatter(X[X[:, 2] > 0], f"front of {len(X)} points", "other")
        yield scatter(few[few[:, 2] > 0], f"front of {len(few)} critical points")
