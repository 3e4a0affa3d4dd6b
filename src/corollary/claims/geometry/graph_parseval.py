r"""Parseval's identity and smoothness in the graph Fourier transform.

With :math:`L=U\Lambda U^\top` and :math:`\hat x=U^\top x`

.. math:: \sum_k\hat x_k^2=\|x\|^2,\qquad \sum_k\lambda_k\hat x_k^2=x^\top Lx ,

since the modes are orthonormal: energy is shared out among frequencies, and a signal is smooth iff
its energy sits at low ones. The eigenvectors of the random walk :math:`D^{-1}L` are not orthogonal
unless all degrees are equal, and with them neither sum is right.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Shuman, Narang, Frossard, Ortega and
    Vandergheynst (2013), "The emerging field of signal processing on graphs".
:kind: identity
:uses: laplacian_quadratic_form, orthogonal_inverse
:covers: graph-fourier-transform
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, Trial, equals, near, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.data.karate_club import karate_club
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_fourier import fourier_basis
from corollary.theory.geometry.graph_laplacian import laplacian, quadratic_form


class Given(NamedTuple):
    graph: Graph
    frequencies: Float[Tensor, " M"]
    modes: Float[Tensor, "M M"]
    x: Float[Tensor, "M s"]  # signals; the first is the side each member took


def walk(given: Given) -> Given:
    """The eigenvectors of the random walk are not orthogonal, so both sums are wrong."""
    frequencies, V = fourier_basis(given.graph, normalized=True)
    W = V / given.graph.degrees.double().sqrt()[:, None]
    return given._replace(frequencies=frequencies, modes=W / W.norm(dim=0))


class GraphParseval(Claim[Given]):
    signals: int = option(5, low=1, high=100)  # random signals

    relation = equals(ulps=4096)  # an eigendecomposition of 34 rows
    supposes = (
        Suppose(
            "the modes are orthonormal",
            lambda g: near(g.modes.T @ g.modes, torch.eye(g.graph.M).double()),
            without=walk,
        ),
        Suppose(
            "each frequency is the eigenvalue of its mode",
            lambda g: near(laplacian(g.graph) @ g.modes, g.modes * g.frequencies),
            "The frequencies are in reverse order, so smooth signals count as rough.",
            frequencies=lambda g: g.frequencies.flip(0),
        ),
    )
    symbols = "‖x‖² and xᵀLx", "sums over frequencies"
    shows = Parity("Sums over frequencies: squared length and smoothness", log="xy")

    def given(self, rng: Generator) -> Given:
        graph, side = karate_club()
        x = torch.cat([2.0 * side.double()[:, None] - 1, normal(rng, graph.M, self.signals)], dim=1)
        return Given(graph, *fourier_basis(graph), x)

    def predict(self, given: Given) -> Tensor:
        return torch.cat([given.x.square().sum(0), quadratic_form(given.graph, given.x)])

    def measure(self, given: Given) -> Tensor:
        energy = (given.modes.T @ given.x).square()
        return torch.cat([energy.sum(0), given.frequencies @ energy])

    @picture(
        "The split of the karate club is a smooth signal",
        x="frequency λ",
        y="share of ‖x‖² up to λ",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        _, f, U, x = trial.given
        share = (U.T @ x).square().cumsum(0) / x.square().sum(0)
        yield Points(f, share[:, 0], label="which side a member took")
        yield Points(f, share[:, 1], label="noise", role="other")
        yield Curve(
            torch.arange(1, len(f) + 1) / len(f), f, label="evenly spread", role="predicted"
        )
