r"""Zero eigenvalues of the Laplacian count components.

.. math:: \dim\ker(D-A)=\text{number of connected components},

because :math:`x^\top Lx=0` asks for equal values along every edge. With a plus in place of the
minus, :math:`x^\top(D+A)x=\sum(x_i+x_j)^2`, only bipartite components are counted.

:source: Perez Jensen (2025), Deep Learning, Section 7.5, Definition 7.7; Chung (1997), "Spectral
    graph theory", Lemma 1.7.
:kind: theorem
:uses: laplacian_quadratic_form
:covers: graph-laplacian
:scale-free: Eigenvalues that are zero are zero under any scale.
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, option
from corollary.data.graphs import erdos_renyi
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_laplacian import laplacian


class Given(NamedTuple):
    graphs: tuple[Graph, ...]
    L: tuple[Tensor, ...]  # a matrix for each graph


class LaplacianComponents(Claim[Given]):
    M: int = option(60, low=2, high=300)  # nodes
    degrees: tuple[float, ...] = (0.3, 0.7, 1.0, 1.5, 2.5, 5.0)  # mean degrees of random graphs

    relation = equals()  # components are counted
    supposes = Suppose(
        "the matrix is D minus A",
        lambda g: all(
            torch.equal(L, torch.diag(G.degrees) - G.dense())
            for G, L in zip(g.graphs, g.L, strict=True)
        ),
        "The matrix is D + A, which does not count components with an odd cycle.",
        L=lambda g: tuple(L.abs() for L in g.L),
    )
    symbols = "components, by search", "zero eigenvalues of L"
    rows = "mean degree {degrees}"
    shows = Along(
        "Components of a random graph with growing numbers of edges",
        x="mean degree",
        y="components",
        at="degrees",
    )

    def given(self, rng: Generator) -> Given:
        graphs = [erdos_renyi(self.M, min(1.0, c / self.M), rng=rng) for c in self.degrees]
        return Given(tuple(graphs), tuple(laplacian(g).to_dense() for g in graphs))

    def predict(self, given: Given) -> list[int]:
        return [int(g.components().max()) + 1 for g in given.graphs]

    def measure(self, given: Given) -> list[int]:
        return [int((torch.linalg.eigvalsh(L) < 1e-9).sum()) for L in given.L]
