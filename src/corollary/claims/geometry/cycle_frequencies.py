r"""Laplacian eigenvalues of a ring: its graph frequencies.

The Laplacian of the cycle of :math:`M` nodes has the eigenvalues

.. math:: \lambda_k=2-2\cos(2\pi k/M),\qquad k=0,\dots,M-1,

and the waves :math:`e^{2\pi ikm/M}` as eigenvectors: on a ring the graph Fourier transform is the
discrete Fourier transform, up to the choice of a basis for frequencies that come twice. Cut the
ring open, and the frequencies become those of a cosine transform, :math:`2-2\cos(\pi k/M)`.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Chung (1997), "Spectral graph theory",
    Example 1.5.
:kind: identity
:covers: graph-fourier-transform
"""

import math

from torch import Generator, Tensor

from corollary.core import Along, Claim, Curve, Marks, Suppose, Trial, equals, option, picture
from corollary.data.graphs import cycle_graph, path_graph
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_fourier import fourier_basis


class CycleFrequencies(Claim[Graph]):
    M: int = option(16, low=3, high=500)  # nodes

    relation = equals(ulps=4096, scale=4.0)  # eigenvalues are known to the rounding of the largest
    supposes = Suppose(
        "the graph is a ring",
        lambda g: bool((g.degrees == 2).all()) and g.is_connected,
        "A path (a ring with one edge removed) has the frequencies of a cosine transform.",
        lambda g: path_graph(g.M),
    )
    symbols = "2 − 2cos(2πk/M)", "frequencies of the ring"
    shows = Along("Frequencies of a ring", x="number of the eigenvalue", y="λ")

    def given(self, rng: Generator) -> Graph:
        return cycle_graph(self.M)

    def predict(self, given: Graph) -> list[float]:
        return sorted(2 - 2 * math.cos(2 * math.pi * k / given.M) for k in range(given.M))

    def measure(self, given: Graph) -> Tensor:
        return fourier_basis(given).frequencies

    @picture("The eigenvectors of a ring are waves", x="node m", y="entry of the mode")
    def modes(self, trial: Trial[Graph]) -> Marks:
        U = fourier_basis(trial.given).modes
        for k in sorted({0, 1, min(3, self.M - 1), self.M - 1}):
            yield Curve(U[:, k], range(1, self.M + 1), f"mode {k}", "other")
