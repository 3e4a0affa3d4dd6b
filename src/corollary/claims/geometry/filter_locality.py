r"""A polynomial of degree K reaches K hops.

.. math:: \operatorname{dist}(m,n)>K\quad\Longrightarrow\quad
   \Bigl(\sum_{k=0}^K\alpha_kL^k\Bigr)_{mn}=0,

and at distance K the entry is :math:`\alpha_K(-1)^K` times the number of shortest paths: the degree
is the size of the kernel. Filters that are no polynomials, such as the heat kernel
:math:`e^{-L}`, reach every node of a component.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Hammond, Vandergheynst and Gribonval
    (2011), "Wavelets on graphs via spectral graph theory", Lemma 5.4.
:kind: theorem
:cost: instant
:covers: polynomial-graph-filter
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.graphs import path_graph
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_fourier import fourier_basis, spectral_filter
from corollary.theory.geometry.graph_laplacian import laplacian
from corollary.theory.geometry.polynomial_filters import polynomial_filter


class Given(NamedTuple):
    """A graph, and coefficients for each degree; none for the heat kernel."""

    graph: Graph
    alphas: tuple[Float[Tensor, " k"], ...]
    degrees: tuple[int, ...]


class FilterLocality(Claim[Given]):
    M: int = option(31, low=11, high=300)  # nodes of a path; the impulse is in the middle
    degrees: tuple[int, ...] = option((0, 1, 2, 4), low=0, high=5)  # degrees of polynomials, K
    relation = equals()  # hops are counted

    def given(self, rng: Generator) -> Given:
        """Random polynomials with a leading coefficient of 1."""
        alphas = []
        for K in self.degrees:
            alpha = torch.randn(K + 1, generator=rng, dtype=torch.float64)
            alpha[-1] = 1.0
            alphas.append(alpha)
        return Given(path_graph(self.M), tuple(alphas), self.degrees)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Polynomials."""
        exact = all(len(a) == K + 1 for a, K in zip(given.alphas, given.degrees, strict=True))
        yield Hypothesis("each filter is a polynomial of its degree", exact)

    def predict(self, given: Given) -> list[float]:
        """The degrees."""
        return [float(K) for K in given.degrees]

    def measure(self, given: Given) -> list[float]:
        """Distances reached from the middle."""
        hops = given.graph.distances([given.graph.M // 2])[0]
        return [float(hops[_impulse(given.graph, a) != 0].max()) for a in given.alphas]

    def counterexample(self, rng: Generator) -> Given:
        """The heat kernel."""
        return self.given(rng)._replace(alphas=(torch.empty(0).double(),), degrees=(4,))

    def figure(self, given: Given) -> Figure:
        """Responses to an impulse."""
        place = torch.arange(given.graph.M) - given.graph.M // 2
        heat = _impulse(given.graph, torch.empty(0).double()).clamp(min=1e-16)
        marks = [Curve(heat, x=place, label="heat kernel exp(−L)", role="predicted")]
        for K in (1, 2, 4):  # Taylor polynomials of the heat kernel
            alpha = torch.tensor([1.0, -1, 1 / 2, -1 / 6, 1 / 24][: K + 1]).double()
            response = _impulse(given.graph, alpha).abs()
            felt = response > 0
            role = "measured" if K == 4 else "other"
            words = f"its Taylor polynomial, K = {K}"
            marks.append(Points(place[felt], response[felt], label=words, role=role))
        return Figure(
            "An impulse in the middle of a path",
            x="distance from the impulse",
            y="modulus of the response",
            log_y=True,
            marks=tuple(marks),
        )


def _impulse(graph: Graph, alpha: Tensor) -> Tensor:
    """The response to an impulse in the middle; of the heat kernel without coefficients."""
    x = torch.zeros(graph.M, 1, dtype=torch.float64)
    x[graph.M // 2] = 1.0
    if len(alpha) == 0:
        return spectral_filter(fourier_basis(graph), lambda f: torch.exp(-f), x)[:, 0]
    return polynomial_filter(laplacian(graph), alpha, x)[:, 0]
