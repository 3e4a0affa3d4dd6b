r"""The graph Laplacian adds up differences along edges.

For :math:`L=D-A` with the plain degrees :math:`D=\operatorname{diag}(A\mathbf{1})`

.. math:: x^\top Lx=\sum_{\{i,j\}\in E}(x_i-x_j)^2\ge0 ,

zero iff :math:`x` is constant on every component. With the degrees of a GCN, which count a loop,
the form is larger by :math:`\|x\|^2` and constants are no longer free.

:source: Perez Jensen (2025), Deep Learning, Section 7.5, Definition 7.7; Chung (1997), "Spectral
    graph theory".
:kind: identity
:cost: instant
:covers: graph-laplacian
:erratum: [notation] D was introduced in the notes as degree + 1 and is used again in L = D - A,
    where the plain degrees are meant; with the other D rows sum to 1 and the form has an extra
    ||x||², as the counterexample shows.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.graphs import erdos_renyi, path_graph
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_fourier import fourier_basis
from corollary.theory.geometry.graph_laplacian import quadratic_form


class Given(NamedTuple):
    """A graph, the degrees that are used, and signals."""

    graph: Graph
    d: Float[Tensor, " M"]
    x: Float[Tensor, "M s"]


class LaplacianQuadraticForm(Claim[Given]):
    M: int = option(50, low=2, high=500)  # nodes
    density: float = option(0.1, low=0.0, high=1.0)  # probability of an edge
    signals: int = option(10, low=1, high=100)  # random signals
    relation = equals(ulps=1024, scale=1.0)  # sums of a few hundred terms that cancel in part

    def given(self, rng: Generator) -> Given:
        """A random graph and Gaussian signals."""
        graph = erdos_renyi(self.M, self.density, rng=rng)
        x = torch.randn(self.M, self.signals, generator=rng, dtype=torch.float64)
        return Given(graph, graph.degrees.double(), x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Plain degrees."""
        plain = bool((given.d == given.graph.degrees).all())
        yield Hypothesis("D holds the plain degrees, without loops", plain)

    def predict(self, given: Given) -> list[float]:
        """Over edges."""
        return quadratic_form(given.graph, given.x).tolist()

    def measure(self, given: Given) -> list[float]:
        """By the matrix."""
        x = given.x
        Lx = given.d[:, None] * x - torch.sparse.mm(given.graph.adjacency(), x)
        return (x * Lx).sum(dim=0).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The degrees of a GCN, with loops."""
        given = self.given(rng)
        return given._replace(d=given.d + 1)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Both sides of the identity, and what the form sees: slow and fast signals on a path."""
        form = self.predict(given)
        ends = [min(form), max(form)]
        loops = self.measure(given._replace(d=given.d + 1))
        identity = Figure(
            "Random signals on a random graph",
            x="sum of (xᵢ − xⱼ)² over edges",
            y="xᵀLx",
            marks=(
                Curve(ends, x=ends, label="equal", role="predicted"),
                Points(form, self.measure(given), label="D with plain degrees"),
                Points(form, loops, label="D with loops", role="other"),
            ),
        )
        path = path_graph(40)
        frequencies, modes = fourier_basis(path)
        curves = tuple(
            Curve(modes[:, k], x=range(1, 41), role="other",
                  label=f"mode {k}, xᵀLx = {float(frequencies[k]):.2g}")
            for k in (1, 3, 8)
        )  # fmt: skip
        smooth = Figure(
            "The faster a signal changes, the larger xᵀLx", x="node of a path", y="x", marks=curves
        )
        return identity, smooth
