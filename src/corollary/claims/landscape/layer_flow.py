r"""Layer dynamics in aligned coordinates.

For balanced layers with the aligned decompositions :math:`W_k=V_{k+1}\Sigma V_k^\top`
(:math:`V_{L+1}:=U_L`), gradient flow on :math:`\frac1{2L}\|W-W^*\|_F^2` reads

.. math:: \dot W_k=\frac1LV_{k+1}\Sigma^{L-k}U_L^\top\bigl(W^*-U_L\Sigma^LV_1^\top\bigr)
   V_1\Sigma^{k-1}V_k^\top .

Checked against automatic differentiation, entry by entry.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 1d).
:kind: identity
:uses: svd_alignment, matrix_gradients
:covers: layer-flow-svd-form
:erratum: [typo] The last factor is printed V_{k-1}^T; it must be U_{k-1}^T = V_k^T. With the
    printed factor there is no formula for k = 1, and the others are off, as a test shows.
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, normal, option
from corollary.theory.landscape.linear_flow import (
    MatrixSensing,
    balanced_layers,
    balancedness,
    layer_flow,
)


class Given(NamedTuple):
    target: Tensor
    layers: list[Tensor]


class LayerFlow(Claim[Given]):
    d: int = option(4, low=2, high=20)  # size of the matrices
    L: int = option(3, low=2, high=6)  # layers

    relation = equals(ulps=1e7, scale=0.1)  # singular vectors lose digits where values are close
    supposes = Suppose(
        "the layers are balanced",
        lambda g: 1e-10 - max(D.norm() for D in balancedness(g.layers)),
        "Layers that are not balanced have no aligned vectors.",
        layers=lambda g: [w + 0.3 * w.roll(1, dims=0) for w in g.layers],
    )
    symbols = "entry by the aligned formula", "entry of −∂L/∂W_k"
    shows = Parity("Velocities of the layers' entries")

    def given(self, rng: Generator) -> Given:
        U, V = torch.linalg.qr(normal(rng, 2, self.d, self.d)).Q
        s = torch.linspace(2.0, 0.5, self.d, dtype=torch.float64)
        layers = balanced_layers((U * s) @ V.T, self.L, rng=rng)
        return Given(normal(rng, self.d, self.d), layers)

    def predict(self, given: Given) -> Tensor:
        return torch.stack(layer_flow(given.layers, given.target)).flatten()

    def measure(self, given: Given) -> Tensor:
        Ws = [w.clone().requires_grad_() for w in given.layers]
        gradients = torch.autograd.grad(MatrixSensing(given.target).loss(Ws), Ws)
        return -torch.stack(gradients).flatten()
