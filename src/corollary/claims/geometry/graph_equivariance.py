r"""Graph networks do not see the labels of nodes.

A network that combines every node with its neighbours is equivariant,

.. math:: f(PX,PAP^\top)=Pf(X,A),\qquad\text{equivalently}\qquad f(X,A)=P^\top f(PX,PAP^\top),

for every permutation matrix :math:`P`, and its sum over nodes is invariant. It takes a single
feature that knows the number of its node to lose this.

:source: Perez Jensen (2025), Deep Learning, Section 7.4, Definitions 7.4 and 7.5.
:kind: identity
:cost: instant
:covers: graph-invariance-equivariance
:erratum: [wrong] Definition 7.5 prints f(X, A) = P f(PX, PAPᵀ); it must be Pᵀ f(PX, PAPᵀ). For
    f(X, A) = X and a 3-cycle, P P X is not X; the figure shows the printed form beside the right
    one.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.graphs import erdos_renyi
from corollary.models.gat import GATConv
from corollary.models.gcn import GCN
from corollary.theory.geometry.graph import Graph


class Given(NamedTuple):
    """A graph with features, a relabelling, and a network."""

    X: Float[Tensor, "M d"]
    graph: Graph
    perm: Int[Tensor, " M"]
    f: nn.Module
    numbered: bool  # whether every node's number is added to its features


class GraphEquivariance(Claim[Given]):
    M: int = option(12, low=3, high=200)  # nodes
    d: int = 3  # features of a node
    density: float = option(0.3, low=0.0, high=1.0)  # probability of an edge
    layer: Literal["gcn", "gat"] = "gcn"  # how neighbours are combined
    relation = equals(ulps=512, scale=1.0)  # sums over neighbours in another order

    def given(self, rng: Generator) -> Given:
        """A random graph, random features and weights, and the cycle of all labels."""
        X = torch.randn(self.M, self.d, generator=rng, dtype=torch.float64)
        graph = erdos_renyi(self.M, self.density, rng=rng)
        if self.layer == "gcn":
            f: nn.Module = GCN([self.d, 8, 1], "tanh", rng=rng)
        else:
            f = GATConv(self.d, 1, rng=rng)
        return Given(X, graph, torch.arange(self.M).roll(-1), f, False)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No labels."""
        yield Hypothesis("no feature knows the number of its node", not given.numbered)

    def predict(self, given: Given) -> list[float]:
        """Outputs on the graph."""
        return _value(given, given.X, given.graph).tolist()

    def measure(self, given: Given) -> list[float]:
        """Outputs on the relabelled graph, put back."""
        back = torch.argsort(given.perm)
        return _moved(given)[back].tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Features that know the number of their node."""
        return self.given(rng)._replace(numbered=True)

    def figure(self, given: Given) -> Figure:
        """Both forms, node by node."""
        nodes = list(range(1, len(given.X) + 1))
        printed = _moved(given)[given.perm]
        marks = (
            Curve(self.predict(given), x=nodes, label="f(X, A)", role="predicted"),
            Points(nodes, self.measure(given), label="Pᵀ f(PX, PAPᵀ)"),
            Points(nodes, printed, label="P f(PX, PAPᵀ), as printed", role="other"),
        )
        return Figure("A relabelled graph", x="node m", y="output of node m", marks=marks)


def _value(given: Given, X: Tensor, graph: Graph) -> Tensor:
    number = torch.linspace(0, 1, len(X), dtype=X.dtype)[:, None] if given.numbered else 0.0
    return given.f(X + number, graph).detach()[:, 0]


def _moved(given: Given) -> Tensor:
    return _value(given, given.X[given.perm], given.graph.relabel(given.perm))
