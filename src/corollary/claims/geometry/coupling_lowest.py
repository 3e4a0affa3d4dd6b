r"""Loops keep the coupling matrix away from minus one.

The eigenvalues of :math:`\bar A=D^{-1/2}(A+I)D^{-1/2}` are at least

.. math:: \lambda_{\min}(\bar A)\ge-1+\frac{2}{d_{\max}} ,

with the loop counted in :math:`d_{\max}`; complete bipartite graphs with equal sides attain it.
Without loops a bipartite graph has the eigenvalue -1, and repeated averaging flips between its two
sides for ever.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Wu, Souza, Zhang, Fifty, Yu and Weinberger
    (2019), "Simplifying graph convolutional networks", Theorem 1.
:kind: bound
:cost: instant
:covers: gcn-coupling-matrix
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_least, option
from corollary.data.graphs import complete_bipartite_graph, erdos_renyi
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.normalised_adjacency import gcn_norm, lowest_coupling


class Given(NamedTuple):
    """Graphs, and whether nodes are joined to themselves."""

    graphs: tuple[Graph, ...]
    loops: bool


class CouplingLowest(Claim[Given]):
    M: int = option(30, low=4, high=300)  # nodes of the random graphs
    densities: tuple[float, ...] = (0.05, 0.1, 0.3, 0.8)  # probabilities of an edge
    sides: tuple[int, ...] = (2, 3, 5)  # sides of the complete bipartite graphs
    relation = at_least(ulps=4096)  # an eigenvalue of a matrix of tens of rows

    def given(self, rng: Generator) -> Given:
        """Random graphs and those that attain the bound."""
        drawn = (erdos_renyi(self.M, p, rng=rng) for p in self.densities)
        return Given((*drawn, *(complete_bipartite_graph(r, r) for r in self.sides)), True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Loops."""
        yield Hypothesis("every node is joined to itself", given.loops)

    def predict(self, given: Given) -> list[float]:
        """The bound."""
        return [lowest_coupling(g) for g in given.graphs]

    def measure(self, given: Given) -> list[float]:
        """Smallest eigenvalues."""
        return [_lowest(g, given.loops) for g in given.graphs]

    def counterexample(self, rng: Generator) -> Given:
        """Complete bipartite graphs without loops: minus one."""
        return Given(tuple(complete_bipartite_graph(r, r) for r in self.sides), False)

    def figure(self, given: Given) -> Figure:
        """Bound and eigenvalue by the largest degree."""
        degree = [1 + int(g.degrees.max()) for g in given.graphs]
        line = [d / 4 for d in range(8, 4 * max(degree) + 1)]
        bare = [_lowest(g, False) for g in given.graphs]
        marks = (
            Curve([-1 + 2 / d for d in line], x=line, label="−1 + 2/d", role="predicted"),
            Points(degree, self.measure(given), label="smallest eigenvalue"),
            Points(degree, bare, label="the same without loops", role="other"),
        )
        title = "The lower end of the spectrum"
        return Figure(title, x="d, largest degree with its loop", y="λ", marks=marks)


def _lowest(graph: Graph, loops: bool) -> float:
    if loops:
        return float(torch.linalg.eigvalsh(gcn_norm(graph).to_dense()).min())
    scale = graph.degrees.clamp(min=1).double().rsqrt()
    return float(torch.linalg.eigvalsh(scale[:, None] * graph.dense() * scale).min())
