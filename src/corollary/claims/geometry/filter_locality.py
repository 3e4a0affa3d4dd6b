r"""A polynomial graph filter of degree K reaches K hops.

.. math:: \operatorname{dist}(m,n)>K\quad\Longrightarrow\quad
   \Bigl(\sum_{k=0}^K\alpha_kL^k\Bigr)_{mn}=0,

and at distance K the entry is :math:`\alpha_K(-1)^K` times the number of shortest paths: the degree
is the size of the kernel. Filters that are no polynomials, such as the heat kernel
:math:`e^{-L}`, reach every node of a component.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Hammond, Vandergheynst and Gribonval
    (2011), "Wavelets on graphs via spectral graph theory", Lemma 5.4.
:kind: theorem
:uses: polynomial_filter
:covers: polynomial-graph-filter
:scale-free: Zeros stay zeros under any scale.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.data.graphs import path_graph
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_fourier import fourier_basis
from corollary.theory.geometry.graph_laplacian import laplacian
from corollary.theory.geometry.polynomial_filters import polynomial_filter


class Given(NamedTuple):
    graph: Graph
    filters: Float[Tensor, "f M M"]  # matrices, each a polynomial of L
    degrees: tuple[int, ...]  # of the polynomials


def misfit(g: Given) -> float:
    """The largest distance of a filter's gains to the best polynomial of its degree."""
    f, U = fourier_basis(g.graph)

    def of(F: Tensor, K: int) -> float:
        gains, powers = (U * (F @ U)).sum(0)[:, None], f[:, None] ** torch.arange(K + 1)
        return float(
            (powers @ torch.linalg.lstsq(powers, gains, driver="gelsd").solution - gains)
            .abs()
            .max()
        )

    return max(of(F, K) for F, K in zip(g.filters, g.degrees, strict=True))


class FilterLocality(Claim[Given]):
    M: int = option(31, low=11, high=300)  # nodes of a path; the impulse is in the middle
    degrees: tuple[int, ...] = option((0, 1, 2, 4), low=0, high=5)  # degrees of polynomials, K

    relation = equals()  # hops are counted
    supposes = Suppose(
        "each filter is a polynomial of its degree",
        lambda g: 1e-6 - misfit(g),
        "The heat kernel exp(−L) is not a polynomial and reaches every node.",
        filters=lambda g: torch.matrix_exp(-laplacian(g.graph).to_dense())[None],
        degrees=(4,),
    )
    symbols = "K", "hops reached"
    rows = "K = {degrees}"

    def given(self, rng: Generator) -> Given:
        graph, eye = path_graph(self.M), torch.eye(self.M, dtype=torch.float64)
        alphas = [torch.cat([normal(rng, K), eye[0, :1]]) for K in self.degrees]
        filters = [polynomial_filter(laplacian(graph), alpha, eye) for alpha in alphas]
        return Given(graph, torch.stack(filters), self.degrees)

    def predict(self, given: Given) -> list[float]:
        return [float(K) for K in given.degrees]

    def measure(self, given: Given) -> list[float]:
        middle = given.graph.M // 2
        hops = given.graph.distances([middle])[0]
        return [float(hops[F[middle] != 0].max()) for F in given.filters]

    @picture(
        "An impulse in the middle of a path",
        x="distance from the impulse",
        y="modulus of the response",
        log="y",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        middle = self.M // 2
        place = torch.arange(self.M) - middle
        for F, K in zip(trial.given.filters, self.degrees, strict=True):
            felt = F[middle] != 0
            yield Points(place[felt], F[middle][felt].abs(), label=f"K = {K}")
        for b in trial.without:
            response = b.given.filters[0, middle].clamp(min=1e-16)
            yield Curve(response, x=place, label=b.words, role="other")
