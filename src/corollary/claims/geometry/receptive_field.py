r"""A node hears of its neighbourhood alone.

After :math:`k` rounds of message passing the features of node :math:`m` depend on the features of
exactly the nodes within :math:`k` hops,

.. math:: \frac{\partial x_m^{(k)}}{\partial x_n^{(0)}}\neq0\iff\operatorname{dist}(m,n)\le k,

if messages are summed and no weight happens to vanish. For all nodes to exchange information there
must be as many layers as the diameter.

:source: Perez Jensen (2025), Deep Learning, Section 7.4.
:kind: theorem
:cost: instant
:covers: message-passing, gcn-depth-diameter
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.claims.geometry._drawing import by_springs, drawn
from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.karate_club import karate_club
from corollary.models.message_passing import MessagePassing
from corollary.models.mlp import MLP
from corollary.theory.geometry.graph import Graph


class Given(NamedTuple):
    """A graph, features, layers, and the node that listens."""

    graph: Graph
    X: Tensor
    layers: list[nn.Module]
    node: int
    announced: bool  # whether every layer also tells all nodes the mean of all nodes


class ReceptiveField(Claim[Given]):
    node: int = option(16, low=0, high=33)  # member of the karate club who listens
    K: int = option(5, low=1, high=8)  # layers
    relation = equals()  # nodes are counted

    def given(self, rng: Generator) -> Given:
        """The karate club with random features and layers."""
        graph, _ = karate_club()
        X = torch.randn(graph.M, 2, generator=rng, dtype=torch.float64)
        layers = [
            MessagePassing(MLP([2, 4], rng=rng), MLP([6, 2], last="tanh", rng=rng), "mean")
            for _ in range(self.K)
        ]
        return Given(graph, X, list(layers), self.node, False)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Locality."""
        yield Hypothesis("nodes hear from their neighbours alone", not given.announced)

    def predict(self, given: Given) -> list[float]:
        """Sizes of the balls of 0, ..., K hops."""
        hops = given.graph.distances([given.node])[0]
        return [float((hops <= k).sum()) for k in range(len(given.layers) + 1)]

    def measure(self, given: Given) -> list[float]:
        """Nodes whose features have a derivative."""
        heard = [influence(given, k) > 0 for k in range(len(given.layers) + 1)]
        return [float(h.sum()) for h in heard]

    def counterexample(self, rng: Generator) -> Given:
        """A layer that also adds the mean over all nodes."""
        return self.given(rng)._replace(announced=True)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Counts by depth, and the ball of two hops."""
        depth = list(range(len(given.layers) + 1))
        counts = Figure(
            "How far a node hears",
            x="k, layers",
            y="nodes that node m depends on",
            marks=(
                Curve(self.predict(given), x=depth, label="nodes within k hops", role="predicted"),
                Points(depth, self.measure(given), label="nodes with a derivative"),
            ),
        )
        places = by_springs(given.graph)
        near = influence(given, min(2, len(given.layers))) > 0
        dots = places[near]
        me = places[given.node]
        ball = Figure(
            "The karate club after two layers",
            x="edges as springs",
            y="nodes push apart",
            equal=True,
            marks=(
                drawn(given.graph, places, "members and friendships"),
                Points(dots[:, 0], dots[:, 1], label="heard after two layers"),
                Points(me[:1], me[1:], label="node m", role="predicted"),
            ),
        )
        return counts, ball


def influence(given: Given, k: int) -> Tensor:
    """The size of the derivative of the node's features after k layers by each node's features."""

    def features(X: Tensor) -> Tensor:
        for layer in given.layers[:k]:
            X = layer(X, given.graph) + (X.mean(dim=0) if given.announced else 0.0)
        return X[given.node]

    J = torch.autograd.functional.jacobian(features, given.X)  # (2, M, 2)
    return J.abs().sum(dim=(0, 2))
