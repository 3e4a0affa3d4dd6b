r"""The frequencies of a ring.

The Laplacian of the cycle of :math:`M` nodes has the eigenvalues

.. math:: \lambda_k=2-2\cos(2\pi k/M),\qquad k=0,\dots,M-1,

and the waves :math:`e^{2\pi ikm/M}` as eigenvectors: on a ring the graph Fourier transform is the
discrete Fourier transform, up to the choice of a basis for frequencies that come twice. Cut the
ring open, and the frequencies become those of a cosine transform, :math:`2-2\cos(\pi k/M)`.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Chung (1997), "Spectral graph theory",
    Example 1.5.
:kind: identity
:cost: instant
:covers: graph-fourier-transform
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.graphs import cycle_graph, path_graph
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_fourier import fourier_basis


class Given(NamedTuple):
    """A graph."""

    graph: Graph


class CycleFrequencies(Claim[Given]):
    M: int = option(16, low=3, high=500)  # nodes
    relation = equals(ulps=4096, scale=4.0)  # eigenvalues are known to the rounding of the largest

    def given(self, rng: Generator) -> Given:
        """The ring."""
        return Given(cycle_graph(self.M))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A ring."""
        ring = bool((given.graph.degrees == 2).all()) and given.graph.is_connected
        yield Hypothesis("the graph is a ring", ring)

    def predict(self, given: Given) -> list[float]:
        """The formula, in ascending order."""
        M = given.graph.M
        return sorted(2 - 2 * math.cos(2 * math.pi * k / M) for k in range(M))

    def measure(self, given: Given) -> list[float]:
        """The eigenvalues."""
        return fourier_basis(given.graph).frequencies.tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A path: one edge less."""
        return Given(path_graph(self.M))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Frequencies of ring and path, and the first modes."""
        M = given.graph.M
        number = list(range(M))
        opened = fourier_basis(path_graph(M)).frequencies
        spectrum = Figure(
            "Frequencies of a ring",
            x="number of the eigenvalue",
            y="λ",
            marks=(
                Curve(self.predict(given), x=number, label="2 − 2cos(2πk/M)", role="predicted"),
                Points(number, self.measure(given), label="Laplacian of the ring"),
                Points(number, opened, label="the ring cut open", role="other"),
            ),
        )
        U = fourier_basis(given.graph).modes
        curves = tuple(
            Curve(U[:, k], x=range(1, M + 1), label=f"mode {k}", role="other")
            for k in sorted({0, 1, min(3, M - 1), M - 1})
        )
        modes = Figure("Its modes are waves", x="node m", y="entry of the mode", marks=curves)
        return spectrum, modes
