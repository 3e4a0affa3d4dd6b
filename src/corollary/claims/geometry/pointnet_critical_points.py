r"""Few points decide what a PointNet sees.

The global feature :math:`g=\max_m h(x_m)\in\mathbb{R}^K` of a cloud is attained, entry by entry, by
at most :math:`K` of its points. These *critical* points :math:`C` give it alone:

.. math:: g(S)=g(X)\qquad\text{for every}\qquad C\subseteq S\subseteq X,

so all others may be removed without a trace.

:source: Perez Jensen (2025), Deep Learning, Section 7.3; Qi, Su, Mo and Guibas (2017), "PointNet:
    deep learning on point sets for 3D classification and segmentation", Theorem 2.
:kind: theorem
:cost: instant
:covers: pointnet
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals
from corollary.data.point_clouds import point_clouds
from corollary.models.pointnet import PointNetFeatures


class Given(NamedTuple):
    """A cloud, the features of its points, and the points that are kept."""

    X: Float[Tensor, "M 3"]
    h: Float[Tensor, "M K"]
    kept: Int[Tensor, " s"]


class PointnetCriticalPoints(Claim[Given]):
    M: int = 400  # points of the cloud
    K: int = 32  # global features
    relation = equals()  # a maximum is one of its arguments, to the bit

    def given(self, rng: Generator) -> Given:
        """Points on a sphere, a random network, and the critical points."""
        X = point_clouds(1, self.M, rng=rng)[0][0]
        net = PointNetFeatures((16, 16), (self.K,), align=False, rng=rng)
        with torch.no_grad():
            h = net.of_points(X)[1]
        return Given(X, h, net.critical_points(X))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """None of them missing."""
        attained = given.h[given.kept] == given.h.max(dim=0).values
        yield Hypothesis("every feature is attained by a point that is kept", attained.any(0).all())

    def predict(self, given: Given) -> list[float]:
        """The global feature of the whole cloud."""
        return given.h.max(dim=0).values.tolist()

    def measure(self, given: Given) -> list[float]:
        """The global feature of the points that are kept."""
        return given.h[given.kept].max(dim=0).values.tolist()

    def counterexample(self, rng: Generator) -> Given:
        """All points but one critical one."""
        given = self.given(rng)
        others = torch.arange(self.M)
        return given._replace(kept=others[others != given.kept[0]])

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The cloud seen from one side, and how the critical set stays small."""
        front = given.X[:, 2] > 0
        critical = torch.zeros(len(given.X), dtype=torch.bool)
        critical[given.kept] = True
        seen, them = given.X[front & ~critical], given.X[front & critical]
        cloud = Figure(
            "Front of the cloud",
            x="x₁",
            y="x₂",
            equal=True,
            marks=(
                Points(seen[:, 0], seen[:, 1], label="points without a say", role="other"),
                Points(them[:, 0], them[:, 1], label="critical points"),
            ),
        )
        sizes = [2**k for k in range(1, 20) if 2**k <= len(given.X)]
        counts = [len(given.h[:M].argmax(dim=0).unique()) for M in sizes]
        bound = [min(M, given.h.shape[1]) for M in sizes]
        growth = Figure(
            "However many points, few are critical",
            x="M, points of the cloud",
            y="critical points",
            log_x=True,
            marks=(
                Curve(bound, x=sizes, label="min(M, K)", role="predicted"),
                Points(sizes, counts, label="critical among the first M"),
            ),
        )
        return cloud, growth
