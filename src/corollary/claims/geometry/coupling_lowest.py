r"""Self-loops keep the spectrum of the coupling matrix away from minus one.

The eigenvalues of :math:`\bar A=D^{-1/2}(A+I)D^{-1/2}` are at least

.. math:: \lambda_{\min}(\bar A)\ge-1+\frac{2}{d_{\max}} ,

with the loop counted in :math:`d_{\max}`; complete bipartite graphs with equal sides attain it.
Without loops a bipartite graph has the eigenvalue -1, and repeated averaging flips between its two
sides for ever.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Wu, Souza, Zhang, Fifty, Yu and Weinberger
    (2019), "Simplifying graph convolutional networks", Theorem 1.
:kind: bound
:uses: normalised_laplacian_spectrum
:covers: gcn-coupling-matrix
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_least, option
from corollary.data.graphs import complete_bipartite_graph, erdos_renyi
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.normalised_adjacency import gcn_norm, lowest_coupling


class Given(NamedTuple):
    graphs: tuple[Graph, ...]
    coupling: tuple[Tensor, ...]  # a matrix for each graph

    @property
    def d(self) -> list[int]:
        return [1 + int(g.degrees.max()) for g in self.graphs]


def no_loops(self: "CouplingLowest") -> Given:
    """Without self-loops, complete bipartite graphs have the eigenvalue −1."""
    graphs = tuple(complete_bipartite_graph(r, r) for r in self.sides)
    return Given(graphs, tuple(g.dense() / r for g, r in zip(graphs, self.sides, strict=True)))


class CouplingLowest(Claim[Given]):
    M: int = option(30, low=4, high=300)  # nodes of the random graphs
    densities: tuple[float, ...] = (0.05, 0.1, 0.3, 0.8)  # probabilities of an edge
    sides: tuple[int, ...] = (2, 3, 5)  # sides of the complete bipartite graphs

    relation = at_least(ulps=4096)  # an eigenvalue of a matrix of tens of rows
    supposes = Suppose(
        "every node is joined to itself",
        lambda g: min(A.diagonal().min() for A in g.coupling),
        without=no_loops,
    )
    symbols = "−1 + 2/d", "smallest eigenvalue"
    shows = Along(
        "Smallest eigenvalue of the coupling matrix",
        x="d, largest degree with its loop",
        y="λ",
        at="d",
    )

    def given(self, rng: Generator) -> Given:
        drawn = [erdos_renyi(self.M, p, rng=rng) for p in self.densities]
        drawn += [complete_bipartite_graph(r, r) for r in self.sides]  # attain the bound
        graphs = tuple(sorted(drawn, key=lambda g: int(g.degrees.max())))
        return Given(graphs, tuple(gcn_norm(g).to_dense() for g in graphs))

    def predict(self, given: Given) -> list[float]:
        return [lowest_coupling(g) for g in given.graphs]

    def measure(self, given: Given) -> list[float]:
        return [float(torch.linalg.eigvalsh(A).min()) for A in given.coupling]
