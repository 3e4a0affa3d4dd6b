r"""Polynomial filters need no eigenvectors.

.. math:: U\Bigl(\sum_{k=0}^K\alpha_k\Lambda^k\Bigr)U^\top x=\sum_{k=0}^K\alpha_kL^kx :

the right-hand side takes K products with a sparse matrix, the left one an eigendecomposition of
:math:`O(M^3)`. Filters that are no polynomials of degree K are approximated at best.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Defferrard, Bresson and Vandergheynst
    (2016), "Convolutional neural networks on graphs with fast localized spectral filtering".
:kind: identity
:uses: filter_eigenspaces
:covers: polynomial-graph-filter
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, normal, option
from corollary.data.karate_club import karate_club
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_fourier import fourier_basis, spectral_filter
from corollary.theory.geometry.graph_laplacian import laplacian
from corollary.theory.geometry.polynomial_filters import frequency_bound, polynomial_filter


class Given(NamedTuple):
    graph: Graph
    G: Callable[[Tensor], Tensor]  # response of a filter
    alpha: Float[Tensor, " k"]  # coefficients of a polynomial
    x: Float[Tensor, "M 1"]  # a signal


def polynomial(alpha: Tensor, f: Tensor) -> Tensor:
    """Its value at each frequency."""
    return f[:, None] ** torch.arange(len(alpha)) @ alpha


def off(g: Given) -> tuple[bool, str]:
    """The response against the polynomial, at points between the frequencies, too."""
    f = torch.linspace(0, frequency_bound(g.graph), 101, dtype=torch.float64)
    return near(g.G(f), polynomial(g.alpha, f))


def line(g: Given) -> Tensor:
    """A line that falls from 1 to 0 over the spectrum."""
    return torch.tensor([1.0, -1.0 / frequency_bound(g.graph)], dtype=torch.float64)


class PolynomialFilter(Claim[Given]):
    K: int = option(4, low=0, high=10)  # degree

    relation = equals(ulps=1e6, scale=1.0)  # powers of L grow like the largest degree to the K
    supposes = Suppose(
        "the response is the polynomial with these coefficients",
        off,
        "The response is a sharp low-pass filter, which is not the polynomial.",
        G=lambda g: lambda f: (f < 5).double(),
        alpha=line,
    )
    symbols = "computed with eigenvectors", "computed with sparse products"
    shows = Along("A filtered signal on the karate club", x="node", y="value", first=1)

    def given(self, rng: Generator) -> Given:
        graph, _ = karate_club()
        alpha = normal(rng, self.K + 1) / frequency_bound(graph) ** torch.arange(self.K + 1)
        return Given(graph, lambda f: polynomial(alpha, f), alpha, normal(rng, graph.M, 1))

    def predict(self, given: Given) -> Tensor:
        return spectral_filter(fourier_basis(given.graph), given.G, given.x)[:, 0]

    def measure(self, given: Given) -> Tensor:
        return polynomial_filter(laplacian(given.graph), given.alpha, given.x)[:, 0]
