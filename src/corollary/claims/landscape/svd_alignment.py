r"""Alignment of layers.

If the layers are balanced, :math:`W_{k+1}^\top W_{k+1}=W_kW_k^\top`, and their singular values
positive and distinct, then with :math:`W_k=U_k\Sigma_kV_k^\top`

.. math:: \Sigma_{k+1}=\Sigma_k,\qquad U_k=V_{k+1}\quad(k<L),\qquad
   W_L\cdots W_1=U_L\Sigma^LV_1^\top ,

up to joint signs of the columns. Balanced starts stay balanced along the gradient flow, so this
holds for all times. Measured at the end of a flow: cosines :math:`|u_{k,i}^\top v_{k+1,i}|`, ratios
of singular values, and :math:`\|W\|_F/\|\Sigma^L\|_F`; all should be 1.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 1c).
:kind: theorem
:cost: instant
:covers: svd-alignment
:erratum: [typo] 1c) is stated for k = 1, ..., L; the pair (k, k + 1) exists for k <= L - 1. The
    decomposition called unique is so up to simultaneous signs of u_i and v_i.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.core.relations import EPS
from corollary.theory.landscape.deep_linear import product
from corollary.theory.landscape.linear_flow import (
    MatrixSensing,
    aligned_svd,
    balanced_layers,
    balancedness,
)


class Given(NamedTuple):
    """Target and start."""

    target: Tensor
    layers: list[Tensor]


class SvdAlignment(Claim[Given]):
    d: int = option(4, low=2, high=10)  # size of the matrices
    L: int = option(3, low=2, high=5)  # layers
    T: float = option(1.0, low=0.1, high=5.0)  # time
    steps: int = option(60, low=20, high=1000)  # of the Runge-Kutta method
    relation = equals(ulps=1e-6 / EPS)  # the method's error over the gap of singular values

    def given(self, rng: Generator) -> Given:
        """A random target and balanced layers with distinct singular values, rotated at random."""
        target = torch.randn(self.d, self.d, generator=rng, dtype=torch.float64)
        U, V = torch.linalg.qr(torch.randn(2, self.d, self.d, generator=rng).double()).Q
        s = torch.linspace(2.0, 0.5, self.d, dtype=torch.float64)
        return Given(target, balanced_layers((U * s) @ V.T, self.L, rng=rng))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Balanced, distinct."""
        off = max(float(D.norm()) for D in balancedness(given.layers))
        yield Hypothesis("the layers start balanced", off < 1e-10, f"difference {off:.3g}")
        distinct = aligned_svd(given.layers, gap=1e-3).unique
        yield Hypothesis("the singular values are positive and distinct", distinct)

    def predict(self, given: Given) -> list[float]:
        """Ones."""
        return [1.0] * ((self.L - 1) * 2 * self.d + 1)

    def measure(self, given: Given) -> list[float]:
        """At the end of the flow."""
        Ws = MatrixSensing(given.target).flow(given.layers, self.T, steps=self.steps)[-1]
        found = aligned_svd(Ws)
        out: list[float] = []
        for k in range(self.L - 1):
            out += _cosines(found.U[k], found.V[k + 1])
            out += (found.s[k + 1] / found.s[k]).tolist()
        return [*out, float(product(Ws).norm() / (found.s[0] ** self.L).norm())]

    def counterexample(self, rng: Generator) -> Given:
        """Gaussian layers: not balanced, not aligned."""
        given = self.given(rng)
        draw = torch.randn(self.L, self.d, self.d, generator=rng, dtype=torch.float64)
        return given._replace(layers=list(draw / self.d**0.5))

    def figure(self, given: Given) -> Figure:
        """The worst cosine over time, for a balanced and an unbalanced start."""
        rough = [w + 0.3 * w.roll(1, dims=0) for w in given.layers]
        sensing, marks = MatrixSensing(given.target), [Level(1.0, label="aligned")]
        for layers, label, role in (
            (given.layers, "balanced start", "measured"),
            (rough, "start that is not balanced", "other"),
        ):
            path = sensing.flow(layers, self.T, steps=self.steps)[::3]
            worst = [min(_cosines(f.U[0], f.V[1])) for f in map(aligned_svd, path)]
            t = [self.T * i / (len(path) - 1) for i in range(len(path))]
            marks.append(Curve(worst, x=t, label=label, role=role))
        return Figure(
            "Singular vectors of neighbouring layers",
            x="t",
            y="smallest |u_iᵀv_i| between layers 1 and 2",
            marks=tuple(marks),
        )


def _cosines(U: Tensor, V: Tensor) -> list[float]:
    return (U * V).sum(dim=0).abs().tolist()
