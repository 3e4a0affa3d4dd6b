r"""Receptive field of a graph network: k layers reach k hops.

After :math:`k` rounds of message passing the features of node :math:`m` depend on the features of
exactly the nodes within :math:`k` hops,

.. math:: \frac{\partial x_m^{(k)}}{\partial x_n^{(0)}}\neq0\iff\operatorname{dist}(m,n)\le k,

if messages are summed and no weight happens to vanish. For all nodes to exchange information there
must be as many layers as the diameter.

:source: Perez Jensen (2025), Deep Learning, Section 7.4.
:kind: theorem
:covers: message-passing, gcn-depth-diameter
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from corollary.claims.geometry._drawing import by_springs, drawn
from corollary.core import Along, Claim, Suppose, Trial, equals, normal, option
from corollary.core.picture import Marks, Points, picture
from corollary.data.karate_club import karate_club
from corollary.models.message_passing import MessagePassing
from corollary.models.mlp import MLP
from corollary.theory.geometry.graph import Graph

Layer = Callable[[Tensor, Graph], Tensor]


class Given(NamedTuple):
    graph: Graph
    X: Float[Tensor, "M 2"]  # features
    layers: list[Layer]

    def heard(self, layers: list[Layer]) -> Bool[Tensor, "M M"]:
        def features(X: Tensor) -> Tensor:
            for layer in layers:
                X = layer(X, self.graph)
            return X

        J = torch.autograd.functional.jacobian(features, self.X)  # (M, 2, M, 2)
        out: Tensor = J.abs().sum(dim=(1, 3)) > 0
        return out

    @property
    def near(self) -> Bool[Tensor, "M M"]:
        return (self.graph.dense() + torch.eye(self.graph.M)) > 0


def announced(layer: Layer) -> Layer:
    """The same layer, which also tells every node the mean of all."""
    return lambda X, graph: layer(X, graph) + X.mean(dim=0)


class ReceptiveField(Claim[Given]):
    node: int = option(16, low=0, high=33)  # member of the karate club
    K: int = option(5, low=1, high=8)  # layers

    relation = equals()  # nodes are counted
    supposes = (
        Suppose(
            "each layer connects a node with its neighbours only",
            lambda g: not any(bool((g.heard([f]) & ~g.near).any()) for f in g.layers),
            "A layer that adds the mean of all nodes connects every node to every other.",
            layers=lambda g: [announced(f) for f in g.layers],
        ),
        Suppose(
            "each layer connects a node with all of its neighbours",
            lambda g: all(bool(g.heard([f])[g.near].all()) for f in g.layers),
            "If layers do not use neighbours, every node depends on itself alone.",
            layers=lambda g: [lambda X, graph: X.tanh() for _ in g.layers],
        ),
    )
    symbols = "nodes within k hops", "nodes with a derivative"
    shows = Along(
        "Number of nodes that a node depends on", x="k, layers", y="nodes that node m depends on"
    )

    def given(self, rng: Generator) -> Given:
        graph, _ = karate_club()

        def layer() -> Layer:
            message, update = MLP([2, 4], "tanh", rng=rng), MLP([6, 2], last="tanh", rng=rng)
            return MessagePassing(message, update, "mean")

        return Given(graph, normal(rng, graph.M, 2), [layer() for _ in range(self.K)])

    def predict(self, given: Given) -> list[int]:
        hops = given.graph.distances([self.node])[0]
        return [int((hops <= k).sum()) for k in range(self.K + 1)]

    def measure(self, given: Given) -> list[int]:
        heard = [given.heard(given.layers[:k])[self.node] for k in range(self.K + 1)]
        return [int(h.sum()) for h in heard]

    @picture(
        "The karate club: within two hops of node m",
        x="edges as springs",
        y="nodes push apart",
        equal=True,
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        graph, places = trial.given.graph, by_springs(trial.given.graph)
        near, me = places[graph.distances([self.node])[0] <= 2], places[self.node]
        yield drawn(graph, places, "members and friendships")
        yield Points(near[:, 0], near[:, 1], label="reached after two layers")
        yield Points(me[:1], me[1:], label="node m", role="predicted")
