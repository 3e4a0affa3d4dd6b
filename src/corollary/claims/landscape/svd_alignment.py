r"""Alignment of the layers of a deep linear network.

If the layers are balanced, :math:`W_{k+1}^\top W_{k+1}=W_kW_k^\top`, and their singular values
positive and distinct, then with :math:`W_k=U_k\Sigma_kV_k^\top`

.. math:: \Sigma_{k+1}=\Sigma_k,\qquad U_k=V_{k+1}\quad(k<L),\qquad
   W_L\cdots W_1=U_L\Sigma^LV_1^\top ,

up to joint signs of the columns. Balanced starts stay balanced along the gradient flow, so this
holds for all times. Measured at the end of a flow: cosines :math:`|u_{k,i}^\top v_{k+1,i}|`, ratios
of singular values, and :math:`\|W\|_F/\|\Sigma^L\|_F`; all should be 1.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 1c).
:kind: theorem
:uses: balancedness, singular_vectors
:covers: svd-alignment
:erratum: [typo] 1c) is stated for k = 1, ..., L; the pair (k, k + 1) exists for k <= L - 1. The
    decomposition called unique is so up to simultaneous signs of u_i and v_i.
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.core.relations import EPS
from corollary.theory.landscape.deep_linear import product
from corollary.theory.landscape.linear_flow import (
    MatrixSensing,
    aligned_svd,
    balanced_layers,
    balancedness,
)


class Given(NamedTuple):
    target: Tensor
    layers: list[Tensor]  # at the start


def equal_values(self: "SvdAlignment", given: Given, rng: Generator) -> Given:
    """If singular values are equal, the singular vectors of a layer are not unique."""
    one = torch.eye(self.d, dtype=torch.float64)
    return Given(2 * one, balanced_layers(one, self.L, rng=rng))


class SvdAlignment(Claim[Given]):
    d: int = option(4, low=2, high=10)  # size of the matrices
    L: int = option(3, low=2, high=5)  # layers
    T: float = option(1.0, low=0.1, high=5.0)  # time
    steps: int = option(100, low=20, high=1000)  # steps of the Runge-Kutta method

    relation = equals(ulps=5e-7 / EPS)  # the method's error over the gap of singular values
    supposes = (
        Suppose(
            "the layers start balanced",
            lambda g: 1e-10 - max(D.norm() for D in balancedness(g.layers)),
            "Layers that are not balanced are not aligned.",
            layers=lambda g: [w + 0.3 * w.roll(1, dims=0) for w in g.layers],
        ),
        Suppose(
            "the singular values are positive and distinct",
            lambda g: aligned_svd(g.layers, gap=1e-3).unique,
            without=equal_values,
        ),
    )
    symbols = "aligned", "cosines, ratios of singular values, ‖W‖/‖Σ^L‖"
    shows = Along("Neighbouring layers after the flow", x="number", y="value")

    def given(self, rng: Generator) -> Given:
        U, V = torch.linalg.qr(normal(rng, 2, self.d, self.d)).Q
        s = torch.linspace(2.0, 0.5, self.d, dtype=torch.float64)
        layers = balanced_layers((U * s) @ V.T, self.L, rng=rng)
        return Given(normal(rng, self.d, self.d), layers)

    def predict(self, given: Given) -> list[float]:
        return [1.0] * ((self.L - 1) * 2 * self.d + 1)

    def measure(self, given: Given) -> Tensor:
        Ws = MatrixSensing(given.target).flow(given.layers, self.T, steps=self.steps)[-1]
        found = aligned_svd(Ws)
        pairs = range(self.L - 1)
        cosines = [(found.U[k] * found.V[k + 1]).sum(dim=0).abs() for k in pairs]
        ratios = [found.s[k + 1] / found.s[k] for k in pairs]
        size = product(Ws).norm() / (found.s[0] ** self.L).norm()
        return torch.cat([*cosines, *ratios, size[None]])
