r"""Neighbours help to classify.

In a graph of communities, where each node has noisy features and few nodes have labels, a
two-layer GCN classifies the other nodes better than the same network without edges, an MLP: in
every run its accuracy is higher by at least ``gain``. If edges ignore the communities, nothing is
gained.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Kipf and Welling (2017),
    "Semi-supervised classification with graph convolutional networks"; Holland, Laskey and
    Leinhardt (1983), "Stochastic blockmodels: first steps".
:kind: experiment
:cost: seconds
:covers: gcn-layer
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator
from torch.optim import Adam

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_least, option
from corollary.data.graphs import block_model
from corollary.models.gcn import GCN
from corollary.theory.geometry.graph import Graph
from corollary.train.nodes import accuracy, fit_nodes


class Given(NamedTuple):
    """How to draw and train what."""

    seed: int
    runs: int
    M: int
    within: float
    between: float
    signal: float
    steps: int


class GcnBlockModel(Claim[Given]):
    M: int = option(300, low=60, high=5000)  # nodes, a third in each community
    within: float = option(0.06, low=0.0, high=1.0)  # probability of an edge in a community
    between: float = option(0.005, low=0.0, high=1.0)  # probability of an edge across
    signal: float = option(0.6, low=0.0, high=10.0)  # distance of the communities' features
    runs: int = option(3, low=1, high=20)  # repetitions
    steps: int = option(40, low=1, high=1000)  # updates by Adam
    gain: float = option(0.1, low=0.0, high=1.0)  # accuracy that the graph is to add
    relation = at_least()  # the gains are far from the limit

    def given(self, rng: Generator) -> Given:
        """A seed."""
        seed = int(torch.randint(2**31, (), generator=rng))
        chance = (self.within, self.between)
        return Given(seed, self.runs, self.M, *chance, self.signal, self.steps)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Communities."""
        yield Hypothesis(
            "edges are at least five times as likely within a community as across",
            given.within >= 5 * given.between,
        )

    def predict(self, given: Given) -> list[float]:
        """The gain, in every run."""
        return [self.gain] * given.runs

    def measure(self, given: Given) -> list[float]:
        """Accuracy of the GCN minus that of the MLP."""
        return [gcn - mlp for gcn, mlp in accuracies(given)]

    def counterexample(self, rng: Generator) -> Given:
        """As many edges, but blind to the communities."""
        mean = (self.within + 2 * self.between) / 3
        return self.given(rng)._replace(within=mean, between=mean)

    def figure(self, given: Given) -> Figure:
        """Accuracy by how much edges know."""
        mean = given.within + 2 * given.between  # three times the mean probability
        shares = [1 / 3, 0.55, 0.75, 0.95]
        rows = [
            accuracies(given._replace(within=s * mean, between=(1 - s) * mean / 2, runs=2))
            for s in shares
        ]
        marks = []
        for which, label, role in ((0, "GCN", "measured"), (1, "MLP, without edges", "other")):
            values = torch.tensor([[run[which] for run in row] for row in rows])
            low, mid, high = values.min(1).values, values.mean(1), values.max(1).values
            marks.append(Curve(mid, x=shares, label=f"{label}, mean", role=role))
            words = f"{label}, range of runs"
            marks.append(Points(shares, mid, label=words, role=role, low=low, high=high))
        return Figure(
            "Few labels, noisy features, three communities",
            x="share of edges within communities",
            y="accuracy on nodes without a label",
            marks=tuple(marks),
        )


@lru_cache(maxsize=32)
def accuracies(given: Given) -> tuple[tuple[float, float], ...]:
    """Accuracies of GCN and MLP in each run."""
    return tuple(_run(given, run) for run in range(given.runs))


def _run(given: Given, run: int) -> tuple[float, float]:
    rng = torch.Generator().manual_seed(given.seed + run)
    sizes = [given.M // 3] * 3
    graph, y = block_model(sizes, given.within, given.between, rng=rng)
    X = torch.randn(graph.M, 8, generator=rng, dtype=torch.float64)
    X[:, :3] += given.signal * torch.nn.functional.one_hot(y, 3)
    labelled = torch.zeros(graph.M, dtype=torch.bool)
    for block in range(3):
        labelled[block * sizes[0] : block * sizes[0] + 10] = True  # ten a community
    out = []
    for used in (graph, Graph.of_edges(graph.M, [])):
        net = GCN([8, 16, 3], rng=torch.Generator().manual_seed(given.seed))

        def adam(parameters: object) -> Adam:
            return Adam(parameters, lr=0.02, weight_decay=5e-3)

        fit_nodes(net, used, X, y, labelled, adam, steps=given.steps)
        with torch.no_grad():
            out.append(accuracy(net(X, used), y, ~labelled))
    return out[0], out[1]
