r"""The normalised Laplacian has its spectrum between 0 and 2.

.. math:: \lambda_{\max}\bigl(I-D^{-1/2}AD^{-1/2}\bigr)\le2,

with equality iff a component with an edge is bipartite. It rests on
:math:`2y_i^2+2y_j^2\ge(y_i-y_j)^2` for every edge, and so on weights that are not negative: with
edges of both signs a degree may be small or negative while its edges are not, and the spectrum
is unbounded.

:source: Perez Jensen (2025), Deep Learning, Section 7.5, Definition 7.7; Chung (1997), "Spectral
    graph theory", Lemma 1.7.
:kind: bound
:uses: laplacian_quadratic_form, rayleigh_quotient
:covers: graph-laplacian
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, option
from corollary.data.graphs import complete_graph, cycle_graph, erdos_renyi, path_graph
from corollary.theory.geometry.graph_laplacian import laplacian


class Given(NamedTuple):
    L: tuple[Float[Tensor, "M M"], ...]  # normalised Laplacians


def negative_edge(given: Given) -> Given:
    """One edge has a negative weight, so the degrees of its two nodes are too small."""
    signed = [(L < 0).double() for L in given.L]
    for A in signed:
        k = len(A) // 2
        A[k, k + 1] = A[k + 1, k] = 0.0
        A[k, k + 1] = A[k + 1, k] = 0.1 - A[k].sum()  # the degree of k is 0.1
    return Given(tuple(map(normalised, signed)))


def normalised(A: Tensor) -> Tensor:
    """The normalised Laplacian for weights of any sign; nodes without a degree are left out."""
    d = A.sum(dim=1)
    scale = torch.where(d > 0, d.clamp(min=1e-300).rsqrt(), torch.zeros_like(d))
    return torch.diag((d > 0).to(A)) - scale[:, None] * A * scale


class NormalisedLaplacianSpectrum(Claim[Given]):
    M: int = option(12, low=4, high=300)  # nodes

    relation = at_most(ulps=1024)  # an eigenvalue of a matrix of a dozen rows
    supposes = Suppose(
        "no edge has a negative weight",
        lambda g: all(bool((L.triu(1) <= 0).all()) for L in g.L),
        without=negative_edge,
    )
    symbols = "2", "largest eigenvalue"
    rows = "path", "even ring", "odd ring", "complete", "random"
    shows = Along("The largest eigenvalue of a graph", x="graph", y="λ")

    def given(self, rng: Generator) -> Given:
        even = 2 * (self.M // 2)
        rings = cycle_graph(even), cycle_graph(even + 1)
        others = complete_graph(self.M), erdos_renyi(self.M, 0.4, rng=rng)
        graphs = path_graph(self.M), *rings, *others
        return Given(tuple(laplacian(g, normalized=True).to_dense() for g in graphs))

    def predict(self, given: Given) -> list[float]:
        return [2.0] * len(given.L)

    def measure(self, given: Given) -> list[float]:
        return [float(torch.linalg.eigvalsh(L).max()) for L in given.L]
