r"""The normalised Laplacian has its spectrum between 0 and 2.

.. math:: \lambda_{\max}\bigl(I-D^{-1/2}AD^{-1/2}\bigr)\le2,

with equality iff a component with an edge is bipartite. It rests on
:math:`2y_i^2+2y_j^2\ge(y_i-y_j)^2` for every edge, and so on weights that are not negative: with
edges of both signs a degree may be small or negative while its edges are not, and the spectrum
is unbounded.

:source: Perez Jensen (2025), Deep Learning, Section 7.5, Definition 7.7; Chung (1997), "Spectral
    graph theory", Lemma 1.7.
:kind: bound
:cost: instant
:covers: graph-laplacian
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_most
from corollary.data.graphs import complete_graph, cycle_graph, erdos_renyi, path_graph
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_laplacian import laplacian


class Given(NamedTuple):
    """Symmetric matrices of weights."""

    A: tuple[Float[Tensor, "M M"], ...]


class NormalisedLaplacianSpectrum(Claim[Given]):
    M: int = 12  # nodes
    relation = at_most(ulps=1024)  # an eigenvalue of a matrix of a dozen rows

    def given(self, rng: Generator) -> Given:
        """Bipartite graphs, and others."""
        M = max(self.M, 4)
        graphs = (path_graph(M), cycle_graph(2 * (M // 2)), cycle_graph(2 * (M // 2) + 1),
                  complete_graph(M), erdos_renyi(M, 0.4, rng=rng))  # fmt: skip
        return Given(tuple(g.dense() for g in graphs))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Signs."""
        yield Hypothesis("no edge has a negative weight", all((A >= 0).all() for A in given.A))

    def predict(self, given: Given) -> list[float]:
        """Two."""
        return [2.0] * len(given.A)

    def measure(self, given: Given) -> list[float]:
        """Largest eigenvalues."""
        return [float(torch.linalg.eigvalsh(_normalised(A)).max()) for A in given.A]

    def counterexample(self, rng: Generator) -> Given:
        """A triangle with one negative edge: the degrees shrink, the edges do not."""
        A = torch.tensor([[0.0, 1.0, -0.9], [1.0, 0.0, 1.0], [-0.9, 1.0, 0.0]])
        return Given((A.double(),))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Rings of growing size; and four spectra."""
        sizes = list(range(3, 26))
        tops = [_top(cycle_graph(n)) for n in sizes]
        known = [2.0 if n % 2 == 0 else 1 + float(torch.cos(torch.tensor(torch.pi / n)))
                 for n in sizes]  # fmt: skip
        rings = Figure(
            "Even rings are bipartite, odd ones are not",
            x="nodes of a ring",
            y="largest eigenvalue",
            marks=(
                Level(2.0, label="2"),
                Curve(known, x=sizes, label="2 or 1 + cos(π/n)", role="predicted", dashed=True),
                Points(sizes, tops, label="measured"),
            ),
        )
        names = ("path", "even ring", "odd ring", "complete", "random")
        curves = tuple(
            Curve(
                torch.linalg.eigvalsh(_normalised(A)),
                x=torch.linspace(0, 1, len(A)),
                label=name,
                role="other",
            )
            for name, A in zip(names, given.A, strict=False)
        )
        spectra = Figure(
            "Whole spectra",
            x="share of eigenvalues below",
            y="λ",
            marks=(Level(2.0, label="2"), *curves),
        )
        return rings, spectra


def _normalised(A: Tensor) -> Tensor:
    d = A.sum(dim=1)
    scale = torch.where(d > 0, d.clamp(min=1e-300).rsqrt(), torch.zeros_like(d))
    return torch.diag((d > 0).to(A)) - scale[:, None] * A * scale


def _top(graph: Graph) -> float:
    return float(torch.linalg.eigvalsh(laplacian(graph, normalized=True).to_dense()).max())
