r"""Graph networks are equivariant: they do not depend on the numbering of nodes.

A network that combines every node with its neighbours is equivariant,

.. math:: f(PX,PAP^\top)=Pf(X,A),\qquad\text{equivalently}\qquad f(X,A)=P^\top f(PX,PAP^\top),

for every permutation matrix :math:`P`, and its sum over nodes, the last number, is invariant. It
takes a single feature that knows the number of its node to lose this.

:source: Perez Jensen (2025), Deep Learning, Section 7.4, Definitions 7.4 and 7.5.
:kind: identity
:covers: graph-invariance-equivariance
:erratum: [wrong] Definition 7.5 prints f(X, A) = P f(PX, PAPᵀ); it must be Pᵀ f(PX, PAPᵀ). For
    f(X, A) = X and a 3-cycle, P P X is not X; the figure shows the printed form beside the right
    one.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.core import Along, Claim, Suppose, equals, near, normal, option
from corollary.data.graphs import erdos_renyi
from corollary.models.gat import GATConv
from corollary.models.gcn import GCN
from corollary.theory.geometry.graph import Graph


class Given(NamedTuple):
    X: Float[Tensor, "M d"]  # features
    graph: Graph
    perm: Int[Tensor, " M"]  # the node that gets each place, P
    PX: Float[Tensor, "M d"]  # features of the relabelled graph
    PAP: Graph  # the relabelled graph
    back: Int[Tensor, " M"]  # undoes the relabelling
    f: nn.Module


class GraphEquivariance(Claim[Given]):
    M: int = option(12, low=3, high=200)  # nodes
    d: int = 3  # features of a node
    density: float = option(0.3, low=0.0, high=1.0)  # probability of an edge
    layer: Literal["gcn", "gat"] = "gcn"  # how a node combines its neighbours

    relation = equals(ulps=512, scale=1.0)  # sums over neighbours in another order
    supposes = (
        Suppose(
            "features move with their nodes",
            lambda g: near(g.PX, g.X[g.perm]),
            "A feature that depends on the number of its node does not move with the node.",
            PX=lambda g: g.X[g.perm] + torch.linspace(0, 1, len(g.X)).double()[:, None],
        ),
        Suppose(
            "edges move with their nodes",
            lambda g: torch.equal(g.PAP.edges, g.graph.relabel(g.perm).edges),
            "The edges are not relabelled, so nodes have other neighbours.",
            PAP=lambda g: g.graph,
        ),
        Suppose(
            "the transpose restores the order of the nodes",
            lambda g: torch.equal(g.perm[g.back], torch.arange(len(g.X))),
            "P f(PX, PAPᵀ), as printed in the notes, is in another order.",
            back=lambda g: g.perm,
        ),
    )
    symbols = "f(X, A) and its sum", "Pᵀ f(PX, PAPᵀ) and its sum"
    shows = Along(
        "Outputs on a graph and on its relabelling", x="node m, then the sum", y="output", first=1
    )

    def given(self, rng: Generator) -> Given:
        X, graph = normal(rng, self.M, self.d), erdos_renyi(self.M, self.density, rng=rng)
        gcn = self.layer == "gcn"
        f = GCN([self.d, 8, 1], "tanh", rng=rng) if gcn else GATConv(self.d, 1, rng=rng)
        perm = torch.arange(self.M).roll(-1)
        return Given(X, graph, perm, X[perm], graph.relabel(perm), perm.argsort(), f)

    def predict(self, given: Given) -> Tensor:
        out: Tensor = given.f(given.X, given.graph)[:, 0]
        return torch.cat([out, out.sum()[None]])

    def measure(self, given: Given) -> Tensor:
        out: Tensor = given.f(given.PX, given.PAP)[:, 0]
        return torch.cat([out[given.back], out.sum()[None]])
