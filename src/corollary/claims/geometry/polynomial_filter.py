r"""Polynomial filters need no eigenvectors.

.. math:: U\Bigl(\sum_{k=0}^K\alpha_k\Lambda^k\Bigr)U^\top x=\sum_{k=0}^K\alpha_kL^kx :

the right-hand side takes K products with a sparse matrix, the left one an eigendecomposition of
:math:`O(M^3)`. Filters that are no polynomials of degree K are approximated at best.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Defferrard, Bresson and Vandergheynst
    (2016), "Convolutional neural networks on graphs with fast localized spectral filtering".
:kind: identity
:cost: instant
:covers: polynomial-graph-filter
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.karate_club import karate_club
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_fourier import fourier_basis, spectral_filter
from corollary.theory.geometry.graph_laplacian import laplacian
from corollary.theory.geometry.polynomial_filters import frequency_bound, polynomial_filter


class Given(NamedTuple):
    """A graph, the response of a filter, coefficients, and a signal."""

    graph: Graph
    G: Callable[[Tensor], Tensor]
    alpha: Float[Tensor, " k"]  # of the polynomial
    x: Float[Tensor, "M 1"]


class PolynomialFilter(Claim[Given]):
    K: int = option(4, low=0, high=10)  # degree
    relation = equals(ulps=1e6, scale=1.0)  # powers of L grow like the largest degree to the K

    def given(self, rng: Generator) -> Given:
        """The karate club with random coefficients, scaled to the spectrum."""
        graph, _ = karate_club()
        alpha = torch.randn(self.K + 1, generator=rng, dtype=torch.float64)
        alpha = alpha / frequency_bound(graph) ** torch.arange(self.K + 1)
        x = torch.randn(graph.M, 1, generator=rng, dtype=torch.float64)
        return Given(graph, lambda f: _polynomial(alpha, f), alpha, x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The response is the polynomial, at points between the frequencies too."""
        f = torch.linspace(0, frequency_bound(given.graph), 101, dtype=torch.float64)
        same = torch.allclose(given.G(f), _polynomial(given.alpha, f), atol=1e-9)
        yield Hypothesis("the response is the polynomial with these coefficients", same)

    def predict(self, given: Given) -> list[float]:
        """In the spectrum."""
        return spectral_filter(fourier_basis(given.graph), given.G, given.x).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """By Horner's rule."""
        L = laplacian(given.graph)
        return polynomial_filter(L, given.alpha, given.x).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A sharp low-pass filter, and a line that falls like it from 1 to 0."""
        given = self.given(rng)
        alpha = torch.tensor([1.0, -1.0 / frequency_bound(given.graph)], dtype=torch.float64)
        return given._replace(G=_low_pass, alpha=alpha)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Both filtered signals; and how well polynomials approximate a step."""
        nodes = list(range(1, given.graph.M + 1))
        signals = Figure(
            "A filtered signal on the karate club",
            x="node",
            y="value",
            marks=(
                Curve(self.predict(given), x=nodes, label="by eigenvectors", role="predicted"),
                Points(nodes, self.measure(given), label="by sparse products"),
            ),
        )
        bound = frequency_bound(given.graph)
        f = torch.linspace(0, bound, 400, dtype=torch.float64)
        step = (f < bound / 6).to(f)
        marks = [Curve(step, x=f, label=f"step at λ = {bound / 6:.3g}", role="predicted")]
        for K in (4, 12, 40):
            series = _step_series(2 * f / bound - 1, 2 / 6 - 1, K)
            marks.append(Curve(series, x=f, label=f"Chebyshev series, K = {K}", role="other"))
        title = "A step is no polynomial"
        return signals, Figure(title, x="frequency λ", y="gain", marks=tuple(marks))


def _polynomial(alpha: Tensor, f: Tensor) -> Tensor:
    return f[:, None] ** torch.arange(len(alpha)) @ alpha


def _step_series(x: Tensor, edge: float, K: int) -> Tensor:
    """The Chebyshev series of the step ``x < edge`` on [-1, 1], up to degree K."""
    angle = math.acos(edge)
    out = torch.full_like(x, 1 - angle / math.pi)
    for k in range(1, K + 1):
        weight = -2 * math.sin(k * angle) / (k * math.pi)
        out = out + weight * torch.cos(k * torch.acos(x.clamp(-1, 1)))
    return out


def _low_pass(f: Tensor) -> Tensor:
    return (f < 5).to(f)
