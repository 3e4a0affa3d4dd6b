r"""Graph attention with attention vector u = 0 is the mean over neighbours.

The layer :math:`x_i'=\sum_jq_{ij}Vx_j`,
:math:`q_{ij}=\operatorname{softmax}_j\rho(u^\top[Vx_i,Vx_j])`, with the softmax over
:math:`j\in N(i)\cup\{i\}` and :math:`u=0`, is

.. math:: x_i'=\frac{1}{d_i+1}\sum_{j\in N(i)\cup\{i\}}Vx_j .

The index set of the softmax is where the graph enters: over all nodes it would give every node
the same mean, on every graph.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Velickovic, Cucurull, Casanova, Romero,
    Lio and Bengio (2018), "Graph attention networks".
:kind: identity
:covers: gat-layer
:erratum: [missing hypothesis] The notes do not say over which j the softmax runs. Over all nodes
    and without features of edges the layer ignores the graph: the counterexample. [loose] The
    contrast to "fixed equal weights" is inexact: those of a GCN are fixed, but 1/sqrt(d_i d_j).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, normal
from corollary.data.graphs import complete_graph
from corollary.data.karate_club import karate_club
from corollary.models.gat import GATConv
from corollary.theory.geometry.graph import Graph


class Given(NamedTuple):
    graph: Graph
    over: Graph  # the softmax runs over its neighbourhoods
    X: Float[Tensor, "M d"]  # features
    layer: GATConv


class AttentionMean(Claim[Given]):
    d: int = 3  # features of a member

    relation = equals(ulps=256, scale=1.0)  # sums over up to 18 neighbours
    supposes = (
        Suppose(
            "the softmax runs over the neighbourhood",
            lambda g: torch.equal(g.over.arcs, g.graph.arcs),
            "If the softmax runs over all nodes, every node gets the same mean.",
            over=lambda g: complete_graph(g.graph.M),
        ),
        Suppose(
            "u is zero",
            lambda g: near(g.layer.u, 0.0),
            "With a random u, some neighbours have larger weights than others.",
            layer=lambda g, rng: GATConv(g.X.shape[1], 1, rng=rng),
        ),
    )
    symbols = "mean over N(i) ∪ {i}", "attention over N(i) ∪ {i}"
    shows = Along(
        "Attention with u = 0 and the mean over neighbours", x="node i", y="x′ of node i", first=1
    )

    def given(self, rng: Generator) -> Given:
        graph, _ = karate_club()
        layer = GATConv(self.d, 1, rng=rng)
        torch.nn.init.zeros_(layer.u)
        return Given(graph, graph, normal(rng, graph.M, self.d), layer)

    def predict(self, given: Given) -> Tensor:
        near = given.graph.dense() + torch.eye(given.graph.M, dtype=torch.float64)
        return (near @ given.X @ given.layer.V[0].T / near.sum(dim=1, keepdim=True)).flatten()

    def measure(self, given: Given) -> Tensor:
        out: Tensor = given.layer(given.X, given.over)
        return out.flatten()
