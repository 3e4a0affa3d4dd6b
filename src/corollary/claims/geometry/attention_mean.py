r"""Attention without a preference is a mean over neighbours.

The layer :math:`x_i'=\sum_jq_{ij}Vx_j`,
:math:`q_{ij}=\operatorname{softmax}_j\rho(u^\top[Vx_i,Vx_j])`, with the softmax over
:math:`j\in N(i)\cup\{i\}` and :math:`u=0`, is

.. math:: x_i'=\frac{1}{d_i+1}\sum_{j\in N(i)\cup\{i\}}Vx_j .

The index set of the softmax is where the graph enters: over all nodes it would give every node
the same mean, on every graph.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Velickovic, Cucurull, Casanova, Romero,
    Lio and Bengio (2018), "Graph attention networks".
:kind: identity
:cost: instant
:covers: gat-layer
:erratum: [missing hypothesis] The notes do not say over which j the softmax runs. Over all nodes
    and without features of edges the layer ignores the graph: the counterexample. [loose] The
    contrast to "fixed equal weights" is inexact: those of a GCN are fixed, but 1/sqrt(d_i d_j).
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, HeatMap, Hypothesis, Points, equals
from corollary.data.graphs import complete_graph
from corollary.data.karate_club import karate_club
from corollary.models.gat import GATConv, arcs_with_loops
from corollary.theory.geometry.graph import Graph


class Given(NamedTuple):
    """The graph, the graph whose neighbourhoods the softmax runs over, features and the layer."""

    graph: Graph
    over: Graph
    X: Float[Tensor, "M d"]
    layer: GATConv


class AttentionMean(Claim[Given]):
    d: int = 3  # features of a member
    relation = equals(ulps=256, scale=1.0)  # sums over up to 18 neighbours

    def given(self, rng: Generator) -> Given:
        """Gaussian features and weights."""
        graph, _ = karate_club()
        layer = GATConv(self.d, 1, rng=rng)
        torch.nn.init.zeros_(layer.u)
        X = torch.randn(graph.M, self.d, generator=rng, dtype=torch.float64)
        return Given(graph, graph, X, layer)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The index set, and u."""
        same = torch.equal(given.over.arcs, given.graph.arcs)
        yield Hypothesis("the softmax runs over the neighbourhood", same)
        yield Hypothesis("u is zero", bool((given.layer.u == 0).all()))

    def predict(self, given: Given) -> list[float]:
        """Means over neighbourhoods."""
        near = given.graph.dense() + torch.eye(given.graph.M, dtype=torch.float64)
        z = given.X @ given.layer.V[0].T
        return (near @ z / near.sum(dim=1, keepdim=True)).detach().flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """The layer."""
        return given.layer(given.X, given.over).detach().flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The softmax over all nodes."""
        given = self.given(rng)
        return given._replace(over=complete_graph(given.graph.M))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Outputs under both index sets; and attention with a preference."""
        everyone = self.measure(given._replace(over=complete_graph(given.graph.M)))
        nodes = list(range(1, given.graph.M + 1))
        outputs = Figure(
            "With u = 0",
            x="node i",
            y="x′ of node i",
            marks=(
                Points(nodes, self.predict(given), label="mean over N(i) ∪ {i}", role="predicted"),
                Points(nodes, self.measure(given), label="attention over the neighbourhood"),
                Points(nodes, everyone, label="attention over all nodes", role="other"),
            ),
        )
        M = given.graph.M
        layer = GATConv(given.X.shape[1], 1, rng=torch.Generator().manual_seed(0))
        Q = torch.zeros(M, M, dtype=torch.float64)
        i, j = arcs_with_loops(given.graph)
        Q[i, j] = layer.attention(given.X, given.graph).detach()[:, 0]
        learned = Figure(
            "Rows sum to one over neighbours",
            x="neighbour j",
            y="node i, first at the bottom",
            equal=True,
            marks=(HeatMap(Q, (0, M), (0, M), label="attention q with random weights"),),
        )
        return outputs, learned
