r"""Layer dynamics in aligned coordinates.

For balanced layers with the aligned decompositions :math:`W_k=V_{k+1}\Sigma V_k^\top`
(:math:`V_{L+1}:=U_L`), gradient flow on :math:`\frac1{2L}\|W-W^*\|_F^2` reads

.. math:: \dot W_k=\frac1LV_{k+1}\Sigma^{L-k}U_L^\top\bigl(W^*-U_L\Sigma^LV_1^\top\bigr)
   V_1\Sigma^{k-1}V_k^\top .

Checked against automatic differentiation, along two random directions a layer.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 1d).
:kind: identity
:cost: instant
:covers: layer-flow-svd-form
:erratum: [typo] The last factor is printed V_{k-1}^T; it must be U_{k-1}^T = V_k^T. With the
    printed factor there is no formula for k = 1, and the others are off, as the figure shows.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.landscape.linear_flow import (
    MatrixSensing,
    aligned_svd,
    balanced_layers,
    balancedness,
    layer_flow,
)


class Given(NamedTuple):
    """Target, layers, and directions to test along."""

    target: Tensor
    layers: list[Tensor]
    ways: Tensor  # (2, d, d)


class LayerFlow(Claim[Given]):
    d: int = option(4, low=2, high=20)  # size of the matrices
    L: int = option(3, low=2, high=6)  # layers
    relation = equals(ulps=1e7, scale=0.1)  # singular vectors lose digits where values are close

    def given(self, rng: Generator) -> Given:
        """A random target and balanced layers with distinct singular values."""
        draw = torch.randn(5, self.d, self.d, generator=rng, dtype=torch.float64)
        U, V = torch.linalg.qr(draw[:2]).Q
        s = torch.linspace(2.0, 0.5, self.d, dtype=torch.float64)
        return Given(draw[2], balanced_layers((U * s) @ V.T, self.L, rng=rng), draw[3:])

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Balanced."""
        off = max(float(D.norm()) for D in balancedness(given.layers))
        yield Hypothesis("the layers are balanced", off < 1e-10, f"difference {off:.3g}")

    def predict(self, given: Given) -> list[float]:
        """By the formula."""
        return _along(layer_flow(given.layers, given.target), given.ways)

    def measure(self, given: Given) -> list[float]:
        """Minus the gradient, by autograd."""
        Ws = [w.clone().requires_grad_() for w in given.layers]
        gradients = torch.autograd.grad(MatrixSensing(given.target).loss(Ws), Ws)
        return _along([-g for g in gradients], given.ways)

    def counterexample(self, rng: Generator) -> Given:
        """Layers that are not balanced."""
        given = self.given(rng)
        rough = [w + 0.3 * w.roll(1, dims=0) for w in given.layers]
        return given._replace(layers=rough)

    def figure(self, given: Given) -> Figure:
        """Entries of all velocities; the printed formula beside."""
        right = torch.cat([v.flatten() for v in layer_flow(given.layers, given.target)])
        gradients = MatrixSensing(given.target).gradients(given.layers)
        true = -torch.cat([g.flatten() for g in gradients])
        printed = torch.cat([v.flatten() for v in _printed(given)])
        rest = -torch.cat([g.flatten() for g in gradients[1:]])
        ends = [float(true.min()), float(true.max())]
        return Figure(
            "Velocities of the layers' entries",
            x="−∂L/∂W_k, entry by entry",
            y="by the aligned formula",
            marks=(
                Curve(ends, x=ends, label="equal", role="predicted"),
                Points(true, right, label="last factor V_kᵀ"),
                Points(rest, printed, label="as printed, V_{k−1}ᵀ", role="other"),
            ),
        )


def _printed(given: Given) -> list[Tensor]:
    """The notes' formula for k >= 2, with V_{k-1} in the last place."""
    V = aligned_svd(given.layers).V
    flow = layer_flow(given.layers, given.target)
    return [flow[k] @ V[k] @ V[k - 1].T for k in range(1, len(flow))]


def _along(velocities: list[Tensor], ways: Tensor) -> list[float]:
    return [float((v * way).sum()) for v in velocities for way in ways]
