r"""Zero eigenvalues of the Laplacian count components.

.. math:: \dim\ker(D-A)=\text{number of connected components},

because :math:`x^\top Lx=0` asks for equal values along every edge. With a plus in place of the
minus, :math:`x^\top(D+A)x=\sum(x_i+x_j)^2`, only bipartite components are counted.

:source: Perez Jensen (2025), Deep Learning, Section 7.5, Definition 7.7; Chung (1997), "Spectral
    graph theory", Lemma 1.7.
:kind: theorem
:cost: instant
:covers: graph-laplacian
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.graphs import erdos_renyi
from corollary.theory.geometry.graph import Graph


class Given(NamedTuple):
    """Graphs of growing density, and the sign between D and A."""

    graphs: tuple[Graph, ...]
    sign: float


class LaplacianComponents(Claim[Given]):
    M: int = option(60, low=2, high=300)  # nodes
    degrees: tuple[float, ...] = (0.3, 0.7, 1.0, 1.5, 2.5, 5.0)  # mean degrees of random graphs
    relation = equals()  # components are counted

    def given(self, rng: Generator) -> Given:
        """Random graphs."""
        graphs = (erdos_renyi(self.M, min(1.0, c / self.M), rng=rng) for c in self.degrees)
        return Given(tuple(graphs), -1.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The sign."""
        yield Hypothesis("the matrix is D minus A", given.sign == -1)

    def predict(self, given: Given) -> list[float]:
        """Components, by search."""
        return [float(g.components().max() + 1) for g in given.graphs]

    def measure(self, given: Given) -> list[float]:
        """Eigenvalues that are zero up to rounding."""
        return [float((_spectrum(g, given.sign) < 1e-9).sum()) for g in given.graphs]

    def counterexample(self, rng: Generator) -> Given:
        """D plus A on dense graphs, which have odd cycles."""
        return Given((erdos_renyi(self.M, 0.5, rng=rng),), 1.0)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Counts by density, and the lower end of two spectra."""
        density = [2 * len(g.edges) / g.M for g in given.graphs]
        counts = Figure(
            "Random graphs grow together",
            x="mean degree",
            y="components",
            marks=(
                Curve(self.predict(given), x=density, label="found by search",
                      role="predicted"),
                Points(density, self.measure(given), label="zero eigenvalues of L"),
            ),
        )  # fmt: skip
        low = [_spectrum(g, -1.0)[:20].clamp(min=0) for g in (given.graphs[0], given.graphs[-1])]
        ends = Figure(
            "The smallest eigenvalues",
            x="number of the eigenvalue",
            y="λ",
            marks=(
                Points(range(1, len(low[0]) + 1), low[0], label="sparsest graph", role="other"),
                Points(range(1, len(low[1]) + 1), low[1], label="densest graph"),
            ),
        )
        return counts, ends


def _spectrum(graph: Graph, sign: float) -> Tensor:
    A = graph.dense()
    return torch.linalg.eigvalsh(torch.diag(A.sum(1)) + sign * A)
