r"""Oversquashing: a bound on the influence of distant nodes.

For :math:`k` layers :math:`X\mapsto\sigma(\bar AXW_l)` with :math:`|\sigma'|\le1` the derivative of
node :math:`m` by the features of node :math:`n` is at most

.. math:: \Bigl\|\frac{\partial x_m^{(k)}}{\partial x_n^{(0)}}\Bigr\|_2\le
   c\,(\bar A^k)_{mn},\qquad c=\prod_{l}\|W_l\|_2 .

It is zero beyond k hops, and exponentially small before that where many paths must pass few edges.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Topping, Di Giovanni, Chamberlain, Dong
    and Bronstein (2022), "Understanding over-squashing and bottlenecks on graphs via curvature",
    Lemma 1; Alon and Yahav (2021), "On the bottleneck of graph neural networks".
:kind: bound
:uses: receptive_field, chain_rule
:covers: gcn-depth-diameter
:scale-free: The same coupling matrix is in the network and in the bound.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, normal, option
from corollary.data.graphs import barbell_graph
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.normalised_adjacency import gcn_norm


class Given(NamedTuple):
    graph: Graph  # its last node listens
    X: Float[Tensor, "M d"]  # features
    W: Float[Tensor, "k d d"]  # weights
    sigma: Callable[[Tensor], Tensor]  # activation


def steepest(sigma: Callable[[Tensor], Tensor]) -> float:
    """The largest slope of the activation on a grid of [-3, 3]."""
    z = torch.linspace(-3, 3, 601, dtype=torch.float64, requires_grad=True)
    return float(torch.autograd.grad(sigma(z).sum(), z)[0].abs().max())


class Oversquashing(Claim[Given]):
    bell: int = option(6, low=2, high=20)  # nodes of each complete part of the barbell
    bridge: int = option(3, low=0, high=10)  # nodes between the two parts
    k: int = option(10, low=1, high=14)  # layers
    d: int = option(4, low=1, high=16)  # features of a node

    relation = at_most(ulps=4096)  # k products of matrices, and a singular value
    supposes = Suppose(
        "the slope of the activation is at most 1",
        lambda g: 1 + 1e-9 - steepest(g.sigma),
        "If the activation has slope 2, the derivative is 2ᵏ times as large.",
        sigma=lambda g: lambda z: 2 * torch.tanh(z),
    )
    symbols = "c (Āᵏ)ₘₙ", "‖∂xₘ/∂xₙ‖"
    shows = Along("Influence of nodes on the far end", x="node n", log="y", first=1)

    def given(self, rng: Generator) -> Given:
        graph = barbell_graph(self.bell, self.bridge)
        W = torch.linalg.qr(normal(rng, self.k, self.d, self.d)).Q  # the bound is sharpest
        return Given(graph, 0.1 * normal(rng, graph.M, self.d), W, torch.tanh)

    def predict(self, given: Given) -> Tensor:
        paths = torch.linalg.matrix_power(gcn_norm(given.graph).to_dense(), len(given.W))
        return torch.mul(torch.linalg.matrix_norm(given.W, ord=2).prod(), paths[-1])

    def measure(self, given: Given) -> list[float]:
        A = gcn_norm(given.graph)

        def last(X: Tensor) -> Tensor:
            for W in given.W:
                X = given.sigma(torch.sparse.mm(A, X) @ W)
            return X[-1]

        J = torch.autograd.functional.jacobian(last, given.X)  # (d, M, d)
        return [float(size) for size in torch.linalg.matrix_norm(J.transpose(0, 1), ord=2)]
