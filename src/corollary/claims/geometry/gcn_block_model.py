r"""A GCN classifies nodes better than an MLP when edges follow the classes.

In a graph of communities, where each node has noisy features and few nodes have labels, a
two-layer GCN classifies the other nodes better than the same network without edges, an MLP: in
the mean over runs its accuracy is higher by at least ``gain``. If edges ignore the communities,
nothing is gained.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Kipf and Welling (2017),
    "Semi-supervised classification with graph convolutional networks"; Holland, Laskey and
    Leinhardt (1983), "Stochastic blockmodels: first steps".
:kind: experiment
:cost: seconds
:covers: gcn-layer
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn.functional import one_hot
from torch.optim import Adam

from corollary.core import Claim, Sample, Suppose, Sweep, at_least, normal, option
from corollary.data.graphs import block_model
from corollary.models.gcn import GCN
from corollary.theory.geometry.graph import Graph
from corollary.train.nodes import accuracy, fit_nodes


class Given(NamedTuple):
    graphs: tuple[Graph, ...]  # one per run
    X: Float[Tensor, "r M 8"]  # features
    y: Int[Tensor, " M"]  # communities

    @property
    def preference(self) -> float:
        same = torch.cat([self.y[g.edges[:, 0]] == self.y[g.edges[:, 1]] for g in self.graphs])
        inside = one_hot(self.y).double().mean(0).square().sum()  # share of all pairs
        return float(same.sum() / inside / ((~same).sum() / (1 - inside)))


def blind(self: "GcnBlockModel", rng: Generator) -> Given:
    """The same number of edges ignore the communities, and the graph does not help."""
    mean = (self.within + 2 * self.between) / 3
    return self.drawn(mean, mean, rng)


class GcnBlockModel(Claim[Given]):
    M: int = option(300, low=60, high=5000)  # nodes, a third in each community
    within: float = option(0.06, low=0.0, high=1.0)  # probability of an edge in a community
    between: float = option(0.005, low=0.0, high=1.0)  # probability of an edge across
    signal: float = option(0.6, low=0.0, high=10.0)  # distance of the communities' features
    runs: int = option(8, low=2, high=20)  # repetitions
    steps: int = option(40, low=1, high=1000)  # updates by Adam
    gain: float = option(0.22, low=0.0, high=1.0)  # accuracy that the graph has to add

    relation = at_least()
    supposes = Suppose(
        "edges are at least five times as likely within a community as across",
        lambda g: g.preference - 5,
        without=blind,
    )
    symbols = "required gain", "accuracy of the GCN − accuracy of the MLP"
    shows = Sweep(
        "Gain in accuracy over an MLP, three communities",
        "within",
        (0.03, 0.06, 0.12),
        x="probability of an edge within a community",
    )

    def given(self, rng: Generator) -> Given:
        return self.drawn(self.within, self.between, rng)

    def drawn(self, within: float, between: float, rng: Generator) -> Given:
        sizes = [self.M // 3] * 3
        drawn = [block_model(sizes, within, between, rng=rng) for _ in range(self.runs)]
        y, X = drawn[0][1], normal(rng, self.runs, sum(sizes), 8)
        X[..., :3] += self.signal * one_hot(y, 3)
        return Given(tuple(graph for graph, _ in drawn), X, y)

    def predict(self, given: Given) -> float:
        return self.gain

    def measure(self, given: Given, rng: Generator) -> Sample:
        y, edgeless = given.y, Graph.of_edges(len(given.y), [])
        labelled = torch.arange(len(y)) % (len(y) // 3) < 10  # ten per community

        def trained(graph: Graph, X: Tensor) -> float:
            net = GCN([8, 16, 3], rng=rng)
            fit_nodes(
                net,
                graph,
                X,
                y,
                labelled,
                lambda p: Adam(p, 0.02, weight_decay=5e-3),
                steps=self.steps,
            )
            return accuracy(net(X, graph), y, ~labelled)

        runs = zip(given.graphs, given.X, strict=True)
        return Sample([trained(graph, X) - trained(edgeless, X) for graph, X in runs])
