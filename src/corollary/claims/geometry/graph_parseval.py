r"""The graph Fourier transform keeps lengths and sorts by smoothness.

With :math:`L=U\Lambda U^\top` and :math:`\hat x=U^\top x`

.. math:: \sum_k\hat x_k^2=\|x\|^2,\qquad \sum_k\lambda_k\hat x_k^2=x^\top Lx ,

since the modes are orthonormal: energy is shared out among frequencies, and a signal is smooth iff
its energy sits at low ones. The eigenvectors of the random walk :math:`D^{-1}L` are not orthogonal
unless all degrees are equal, and with them neither sum is right.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Shuman, Narang, Frossard, Ortega and
    Vandergheynst (2013), "The emerging field of signal processing on graphs".
:kind: identity
:cost: instant
:covers: graph-fourier-transform
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.karate_club import karate_club
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_fourier import fourier_basis
from corollary.theory.geometry.graph_laplacian import quadratic_form


class Given(NamedTuple):
    """A graph, frequencies and modes, and signals."""

    graph: Graph
    frequencies: Float[Tensor, " M"]
    modes: Float[Tensor, "M M"]
    x: Float[Tensor, "M s"]


class GraphParseval(Claim[Given]):
    signals: int = option(5, low=1, high=100)  # random signals
    relation = equals(ulps=4096)  # an eigendecomposition of 34 rows

    def given(self, rng: Generator) -> Given:
        """The karate club and Gaussian signals."""
        graph, _ = karate_club()
        x = torch.randn(graph.M, self.signals, generator=rng, dtype=torch.float64)
        return Given(graph, *fourier_basis(graph), x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The basis."""
        U = given.modes
        eye = torch.eye(len(U), dtype=U.dtype)
        yield Hypothesis("the modes are orthonormal", torch.allclose(U.T @ U, eye, atol=1e-10))

    def predict(self, given: Given) -> list[float]:
        """In space."""
        length = (given.x**2).sum(dim=0)
        return torch.cat([length, quadratic_form(given.graph, given.x)]).tolist()

    def measure(self, given: Given) -> list[float]:
        """By frequency."""
        energy = (given.modes.T @ given.x) ** 2
        return torch.cat([energy.sum(dim=0), given.frequencies @ energy]).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Unit eigenvectors of the random walk."""
        given = self.given(rng)
        frequencies, V = fourier_basis(given.graph, normalized=True)
        walk = V / given.graph.degrees.double().sqrt()[:, None]
        return given._replace(frequencies=frequencies, modes=walk / walk.norm(dim=0))

    def figure(self, given: Given) -> Figure:
        """Where the energy of two signals sits."""
        graph, side = karate_club()
        f, U = fourier_basis(graph)
        split = 2.0 * side.double() - 1
        noise = torch.randn(graph.M, generator=Generator().manual_seed(0), dtype=torch.float64)
        noise = noise * split.norm() / noise.norm()
        marks = []
        for x, label, role in ((split, "which side a member took", "measured"),
                               (noise, "noise of the same length", "other")):  # fmt: skip
            share = ((U.T @ x) ** 2).cumsum(0) / (x**2).sum()
            marks.append(Points(f, share, label=label, role=role))
        M = graph.M
        line = torch.arange(1, M + 1) / M
        marks.append(Curve(line, x=f, label="evenly spread", role="predicted", dashed=True))
        return Figure(
            "The split of the karate club is a smooth signal",
            x="frequency λ",
            y="share of ‖x‖² at frequencies up to λ",
            marks=tuple(marks),
        )
