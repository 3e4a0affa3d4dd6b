r"""What far nodes can say is squeezed.

For :math:`k` layers :math:`X\mapsto\sigma(\bar AXW_l)` with :math:`|\sigma'|\le1` the derivative of
node :math:`m` by the features of node :math:`n` is at most

.. math:: \Bigl\|\frac{\partial x_m^{(k)}}{\partial x_n^{(0)}}\Bigr\|_2\le
   c\,(\bar A^k)_{mn},\qquad c=\prod_{l}\|W_l\|_2 .

It is zero beyond k hops, and exponentially small before that where many paths must pass few edges.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Topping, Di Giovanni, Chamberlain, Dong
    and Bronstein (2022), "Understanding over-squashing and bottlenecks on graphs via curvature",
    Lemma 1; Alon and Yahav (2021), "On the bottleneck of graph neural networks".
:kind: bound
:cost: instant
:covers: gcn-depth-diameter
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_most, option
from corollary.data.graphs import barbell_graph
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.normalised_adjacency import gcn_norm


class Given(NamedTuple):
    """A graph, features, weights and an activation; the last node listens."""

    graph: Graph
    X: Tensor  # (M, d)
    W: Tensor  # (k, d, d)
    sigma: Callable[[Tensor], Tensor]
    slope: float  # largest slope of sigma


class Oversquashing(Claim[Given]):
    bell: int = option(6, low=2, high=20)  # nodes of each complete part of the barbell
    bridge: int = option(3, low=0, high=10)  # nodes between the two parts
    k: int = option(10, low=1, high=14)  # layers
    d: int = option(4, low=1, high=16)  # features of a node
    relation = at_most(ulps=4096)  # k products of matrices, and a singular value

    def given(self, rng: Generator) -> Given:
        """A barbell, small features, and orthogonal weights, for which the bound is sharpest."""
        graph = barbell_graph(self.bell, self.bridge)
        normal = torch.randn(self.k, self.d, self.d, generator=rng, dtype=torch.float64)
        X = 0.1 * torch.randn(graph.M, self.d, generator=rng, dtype=torch.float64)
        return Given(graph, X, torch.linalg.qr(normal).Q, torch.tanh, 1.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The activation."""
        yield Hypothesis("the slope of the activation is at most 1", given.slope <= 1)

    def predict(self, given: Given) -> list[float]:
        """The bound for every node n."""
        return bound(given, len(given.W)).tolist()

    def measure(self, given: Given) -> list[float]:
        """Spectral norms of the blocks of the Jacobian."""
        return influence(given, len(given.W)).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Slope 2 at the origin."""
        return self.given(rng)._replace(sigma=lambda z: 2 * torch.tanh(z), slope=2.0)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """By node at full depth, and by depth across the bridge."""
        hops = given.graph.distances([given.graph.M - 1])[0]
        order = torch.argsort(hops, stable=True)
        at, limit = influence(given, len(given.W))[order], bound(given, len(given.W))[order]
        by_node = Figure(
            "Who is heard at the far end of the barbell",
            x="nodes n, nearest first",
            y="‖∂xₘ/∂xₙ‖",
            log_y=True,
            marks=(
                Curve(limit, label="c (Āᵏ)ₘₙ", role="predicted"),
                Points(range(len(order)), at, label="measured"),
            ),
        )
        far, depths = int(hops[0]), range(1, len(given.W) + 1)
        marks = [
            Level(far, label="distance of the two nodes", role="other", axis="x"),
            Curve([float(bound(given, k)[0]) for k in depths], x=depths, label="c (Āᵏ)ₘₙ",
                  role="predicted"),
            Points(depths, [float(influence(given, k)[0]) for k in depths], label="measured"),
        ]  # fmt: skip
        return by_node, Figure("The two ends", x="k, layers", y="‖∂xₘ/∂xₙ‖", marks=tuple(marks))


def bound(given: Given, k: int) -> Tensor:
    """The bound for the last node and every other after k layers."""
    A = gcn_norm(given.graph)
    row = torch.zeros(given.graph.M, 1, dtype=torch.float64)
    row[-1] = 1.0
    for _ in range(k):
        row = torch.sparse.mm(A, row)  # A is symmetric: columns are rows
    c = torch.linalg.matrix_norm(given.W[:k], ord=2).prod()
    return c * row[:, 0]


def influence(given: Given, k: int) -> Tensor:
    """Spectral norms of the derivatives of the last node by every node after k layers."""
    A = gcn_norm(given.graph)

    def last(X: Tensor) -> Tensor:
        for W in given.W[:k]:
            X = given.sigma(torch.sparse.mm(A, X) @ W)
        return X[-1]

    J = torch.autograd.functional.jacobian(last, given.X)  # (d, M, d)
    return torch.linalg.matrix_norm(J.transpose(0, 1), ord=2)
