r"""Oversmoothing.

On a connected graph repeated coupling forgets the features at an exponential rate,

.. math:: \|\bar A^kX-uu^\top X\|_F\le\lambda^k\,\|X-uu^\top X\|_F,\qquad
   u=\frac{D^{1/2}\mathbf{1}}{\|D^{1/2}\mathbf{1}\|},

where :math:`\lambda<1` is the largest modulus of the eigenvalues of :math:`\bar A` other than 1.
What is left is one number per feature: nodes differ by the root of their degree alone. On a graph
with several components each keeps a direction of its own.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Li, Han and Wu (2018), "Deeper insights
    into graph convolutional networks", Theorem 1.
:kind: bound
:uses: coupling_norm, coupling_lowest
:covers: gcn-oversmoothing
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, Trial, at_most, normal, option
from corollary.core.picture import Marks, Points, Role, picture
from corollary.data.graphs import cycle_graph
from corollary.data.karate_club import karate_club
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.smoothing import oversmoothing_curve, smoothing_rate


class Given(NamedTuple):
    graph: Graph
    X: Float[Tensor, "M d"]  # features


class Oversmoothing(Claim[Given]):
    d: int = 4  # features of a member
    K: int = option(30, low=1, high=100)  # rounds

    relation = at_most(ulps=1e5)  # after K rounds the rounding of u is that much of the rest
    supposes = Suppose(
        "the graph is connected",
        lambda g: g.graph.is_connected,
        "The graph consists of two rings, and each ring keeps a direction of its own.",
        lambda g: Given(cycle_graph(5).union(cycle_graph(6)), g.X[:11]),
    )
    symbols = "λᵏ ‖X − uuᵀX‖", "‖Āᵏ X − uuᵀX‖"
    shows = Along("Distance from the limit after k rounds", x="k, rounds", log="y")

    def given(self, rng: Generator) -> Given:
        graph, _ = karate_club()
        return Given(graph, normal(rng, graph.M, self.d))

    def predict(self, given: Given) -> Tensor:
        start = oversmoothing_curve(given.graph, given.X, 0).distance[0]
        return start * smoothing_rate(given.graph) ** torch.arange(self.K + 1).double()

    def measure(self, given: Given) -> Tensor:
        return oversmoothing_curve(given.graph, given.X, self.K).distance

    @picture(
        "The limit depends on the degree of the node only",
        x="√d of the node",
        y="first feature",
    )
    def collapse(self, trial: Trial[Given]) -> Marks:
        graph, X = trial.given
        for k in (0, 2, self.K):
            features = oversmoothing_curve(graph, X, k).features[:, 0]
            role: Role = "measured" if k == self.K else "other"
            yield Points((1 + graph.degrees).double().sqrt(), features, f"k = {k}", role)
