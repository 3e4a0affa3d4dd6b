r"""Fewer layers than hops cannot learn.

In a binary tree of depth :math:`r` one leaf carries a sign, and the root has to name it. A network
of :math:`k<r` layers computes the same at the root for both signs: it is right in exactly half of
the cases, however long it is trained. With :math:`k\ge r` layers training finds the answer.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Alon and Yahav (2021), "On the bottleneck
    of graph neural networks and its practical implications" (NeighborsMatch).
:kind: experiment
:cost: seconds
:covers: gcn-depth-diameter
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator, Tensor
from torch.optim import Adam

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.graphs import binary_tree
from corollary.models.gcn import GCN
from corollary.theory.geometry.graph import Graph
from corollary.train.nodes import accuracy, fit_nodes


class Given(NamedTuple):
    """Trees of depth r, depths of networks, and how to train."""

    seed: int
    r: int
    depths: tuple[int, ...]
    trees: int
    steps: int
    shortcut: bool  # whether every leaf is joined to the root


class DepthReachesLeaves(Claim[Given]):
    r: int = option(3, low=1, high=5)  # depth of the trees
    depths: tuple[int, ...] = (1, 2, 3, 4)  # layers of the networks
    trees: int = option(32, low=8, high=512)  # trees, half of them with each sign
    steps: int = option(50, low=1, high=1000)  # updates by Adam
    relation = equals(ulps=4)  # shares of equally many trees

    def given(self, rng: Generator) -> Given:
        """A seed."""
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(seed, self.r, self.depths, 2 * (self.trees // 2), self.steps, False)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Distance."""
        graph, _, _, _ = forest(given)
        tree = 2 ** (given.r + 1) - 1
        hops = graph.distances([0])[0][2**given.r - 1 : tree]
        yield Hypothesis("leaves are r hops from the root", bool((hops == given.r).all()))

    def predict(self, given: Given) -> list[float]:
        """Half below r, all from r on."""
        return [0.5 if k < given.r else 1.0 for k in given.depths]

    def measure(self, given: Given) -> list[float]:
        """Accuracy of the trained networks at the roots."""
        return list(accuracies(given))

    def counterexample(self, rng: Generator) -> Given:
        """An edge from every leaf to the root."""
        return self.given(rng)._replace(shortcut=True)

    def figure(self, given: Given) -> Figure:
        """Accuracy by depth."""
        marks = (
            Curve(self.predict(given), x=given.depths, label="1/2 for k < r, else 1",
                  role="predicted"),
            Points(given.depths, self.measure(given), label="accuracy at the roots"),
            Points(given.depths, list(accuracies(given._replace(shortcut=True))),
                   label="leaves joined to the root", role="other"),
        )  # fmt: skip
        words = f"Trees of depth r = {given.r}"
        return Figure(words, x="k, layers", y="accuracy after training", marks=marks)


def forest(given: Given) -> tuple[Graph, Tensor, Tensor, Tensor]:
    """The trees as one graph, features, labels of roots, and which nodes are roots."""
    rng = torch.Generator().manual_seed(given.seed)
    tree, n = binary_tree(given.r), given.trees
    leaves = torch.arange(2**given.r - 1, tree.M)
    edges = tree.edges
    if given.shortcut:
        edges = torch.cat([edges, torch.stack([torch.zeros_like(leaves), leaves], dim=1)])
    starts = tree.M * torch.arange(n)
    graph = Graph.of_edges(n * tree.M, (edges + starts[:, None, None]).reshape(-1, 2))
    sign = torch.arange(n) % 2
    chosen = leaves[torch.randint(len(leaves), (n,), generator=rng)]
    X = torch.zeros(n * tree.M, 2, dtype=torch.float64)
    X[:, 1] = 1.0
    X[starts + chosen, 0] = 2 * sign.double() - 1
    y = torch.zeros(n * tree.M, dtype=torch.int64)
    y[starts] = sign
    roots = torch.zeros(n * tree.M, dtype=torch.bool)
    roots[starts] = True
    return graph, X, y, roots


@lru_cache(maxsize=8)
def accuracies(given: Given) -> tuple[float, ...]:
    """Train a network of each depth and ask it at the roots."""
    graph, X, y, roots = forest(given)
    out = []
    for k in given.depths:
        rng = torch.Generator().manual_seed(given.seed + 1)
        net = GCN([2] + [8] * (k - 1) + [2], "tanh", rng=rng)
        fit_nodes(net, graph, X, y, roots, lambda p: Adam(p, lr=0.05), steps=given.steps)
        with torch.no_grad():
            out.append(accuracy(net(X, graph), y, roots))
    return tuple(out)
