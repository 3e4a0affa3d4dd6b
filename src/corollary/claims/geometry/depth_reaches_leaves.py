r"""A graph network with fewer layers than hops cannot learn from a distant node.

In a binary tree of depth :math:`r` one leaf carries a sign, and the root has to name it. A network
of :math:`k<r` layers computes the same at the root for both signs: it is right in exactly half of
the cases, however long it is trained. With :math:`k\ge r` layers training finds the answer.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Alon and Yahav (2021), "On the bottleneck
    of graph neural networks and its practical implications" (NeighborsMatch).
:kind: experiment
:cost: seconds
:uses: receptive_field
:covers: gcn-depth-diameter
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor
from torch.optim import Adam

from corollary.core import Along, Claim, Suppose, equals, option
from corollary.data.graphs import binary_tree
from corollary.models.gcn import GCN
from corollary.theory.geometry.graph import Graph
from corollary.train.nodes import accuracy, fit_nodes


class Given(NamedTuple):
    graph: Graph  # all trees
    X: Float[Tensor, "M 2"]  # a sign at one leaf of each tree; ones
    y: Int[Tensor, " M"]  # the sign of the tree
    roots: Bool[Tensor, " M"]

    @property
    def hops(self) -> Int[Tensor, " t"]:
        far = self.graph.distances(self.roots.nonzero()[:, 0].tolist())
        return far.min(dim=0).values[self.X[:, 0] != 0]


def shortcuts(given: Given) -> Given:
    """If every leaf has an edge to its root, one layer is enough."""
    leaves = (given.graph.degrees == 1).nonzero()[:, 0]
    size = len(given.y) // int(given.roots.sum())
    added = torch.stack([leaves // size * size, leaves], dim=1)
    edges = torch.cat([given.graph.edges, added])
    return given._replace(graph=Graph.of_edges(given.graph.M, edges))


class DepthReachesLeaves(Claim[Given]):
    r: int = option(3, low=1, high=5)  # depth of the trees
    depths: tuple[int, ...] = (1, 2, 3, 4)  # layers of the networks
    trees: int = option(32, low=8, high=512)  # trees, every other one with a plus
    steps: int = option(50, low=1, high=1000)  # updates by Adam

    relation = equals(ulps=4)  # shares of equally many trees
    supposes = Suppose(
        "the marked leaves are r hops from a root",
        lambda self, g: bool((g.hops == self.r).all()),
        without=shortcuts,
    )
    symbols = "1/2 for k < r, else 1", "accuracy at the roots"
    rows = "k = {depths}"
    shows = Along(
        "Accuracy at the roots; one leaf per tree carries a sign", x="k, layers", at="depths"
    )

    def given(self, rng: Generator) -> Given:
        tree, n = binary_tree(self.r), 2 * (self.trees // 2)
        starts = tree.M * torch.arange(n)
        edges = (tree.edges + starts[:, None, None]).reshape(-1, 2)
        y = (torch.arange(n) % 2).repeat_interleave(tree.M)
        X = torch.tensor([0.0, 1.0], dtype=torch.float64).repeat(n * tree.M, 1)
        leaf = starts + torch.randint(2**self.r - 1, tree.M, (n,), generator=rng)
        X[leaf, 0] = 2 * y[leaf].double() - 1
        return Given(Graph.of_edges(len(y), edges), X, y, torch.arange(len(y)) % tree.M == 0)

    def predict(self, given: Given) -> list[float]:
        return [0.5 if k < self.r else 1.0 for k in self.depths]

    def measure(self, given: Given, rng: Generator) -> list[float]:
        graph, X, y, roots = given

        def trained(k: int) -> float:
            net = GCN([2] + [8] * (k - 1) + [2], "tanh", rng=rng)
            fit_nodes(net, graph, X, y, roots, lambda p: Adam(p, lr=0.05), steps=self.steps)
            return accuracy(net(X, graph), y, roots)

        return [trained(k) for k in self.depths]
