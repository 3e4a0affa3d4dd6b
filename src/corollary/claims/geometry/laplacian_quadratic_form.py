r"""The Laplacian quadratic form is the sum of squared differences along edges.

For :math:`L=D-A` with the plain degrees :math:`D=\operatorname{diag}(A\mathbf{1})`

.. math:: x^\top Lx=\sum_{\{i,j\}\in E}(x_i-x_j)^2\ge0 ,

zero iff :math:`x` is constant on every component. With the degrees of a GCN, which count a loop,
the form is larger by :math:`\|x\|^2` and constants are no longer free.

:source: Perez Jensen (2025), Deep Learning, Section 7.5, Definition 7.7; Chung (1997), "Spectral
    graph theory".
:kind: identity
:covers: graph-laplacian
:erratum: [notation] D was introduced in the notes as degree + 1 and is used again in L = D - A,
    where the plain degrees are meant; with the other D, rows sum to 1 and the form has an extra
    ||x||², as the counterexample shows.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, near, normal, option
from corollary.data.graphs import erdos_renyi
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_laplacian import quadratic_form


class Given(NamedTuple):
    graph: Graph
    d: Float[Tensor, " M"]  # degrees that are used
    x: Float[Tensor, "M s"]  # signals


class LaplacianQuadraticForm(Claim[Given]):
    M: int = option(50, low=2, high=500)  # nodes
    density: float = option(0.1, low=0.0, high=1.0)  # probability of an edge
    signals: int = option(10, low=1, high=100)  # random signals

    relation = equals(ulps=1024, scale=1.0)  # sums of a few hundred terms that cancel in part
    supposes = Suppose(
        "D holds the plain degrees, without loops",
        lambda g: near(g.d, g.graph.degrees),
        "The degrees count self-loops, as in a GCN, and the form has an extra term ‖x‖².",
        d=lambda g: g.d + 1,
    )
    symbols = "sum of (xᵢ − xⱼ)² over edges", "xᵀLx"
    shows = Parity("Laplacian quadratic form of random signals")

    def given(self, rng: Generator) -> Given:
        graph = erdos_renyi(self.M, self.density, rng=rng)
        return Given(graph, graph.degrees.double(), normal(rng, self.M, self.signals))

    def predict(self, given: Given) -> Tensor:
        return quadratic_form(given.graph, given.x)

    def measure(self, given: Given) -> Tensor:
        x, A = given.x, given.graph.adjacency()
        out: Tensor = (x * (given.d[:, None] * x - torch.sparse.mm(A, x))).sum(0)
        return out
