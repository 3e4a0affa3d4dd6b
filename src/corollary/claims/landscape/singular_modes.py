r"""Singular modes learn one after another.

Two balanced layers that share their outer singular vectors with the target keep them along the
gradient flow of :math:`\frac14\|W_2W_1-W^*\|_F^2`, and each singular value follows a logistic
curve,

.. math:: \dot s=s(s^*-s),\qquad s(t)=\frac{s^*}{1+(s^*/s_0-1)e^{-s^*t}} :

it is learned at about :math:`t=\log(s^*/s_0)/s^*`, large ones first, with plateaus between.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 1; Saxe, McClelland and
    Ganguli (2014), "Exact solutions to the nonlinear dynamics of learning in deep linear neural
    networks", Eq. 8.
:kind: theorem
:cost: instant
:covers: end-to-end-flow
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.core.relations import EPS
from corollary.theory.landscape.deep_linear import product
from corollary.theory.landscape.linear_flow import (
    MatrixSensing,
    balanced_layers,
    singular_mode,
)


class Given(NamedTuple):
    """Target and start."""

    target: Tensor
    layers: list[Tensor]


class SingularModes(Claim[Given]):
    d: int = option(3, low=1, high=6)  # size of the matrices
    start: float = option(0.01, low=1e-4, high=0.5)  # singular values at the start
    T: float = option(12.0, low=1.0, high=50.0)  # time
    steps: int = option(200, low=100, high=5000)  # of the Runge-Kutta method
    relation = equals(ulps=1e-4 / EPS, scale=0.01)  # error of the integration at this step

    def given(self, rng: Generator) -> Given:
        """Singular values 2, 1, 2/3, ... of the target, and the same vectors at the start."""
        U, V = torch.linalg.qr(torch.randn(2, self.d, self.d, generator=rng, dtype=torch.float64)).Q
        s = 2 / torch.arange(1, self.d + 1, dtype=torch.float64)
        return Given((U * s) @ V.T, balanced_layers(self.start * U @ V.T, 2, rng=rng))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Common singular vectors: both products with the start are symmetric."""
        W, target = product(given.layers), given.target
        left, right = target @ W.T, W.T @ target
        off = float((left - left.T).norm() + (right - right.T).norm())
        shared = off < 1e-9 * float(left.norm())
        yield Hypothesis("start and target share their singular vectors", shared)

    def predict(self, given: Given) -> list[float]:
        """Logistic curves at four times."""
        return self._theory(given)[:: self.steps // 4][1:].flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """Singular values of the product of the layers."""
        return self._modes(given)[:: self.steps // 4][1:].flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A start with vectors of its own."""
        given = self.given(rng)
        W = torch.randn(self.d, self.d, generator=rng, dtype=torch.float64)
        return given._replace(layers=balanced_layers(self.start * W, 2, rng=rng))

    def figure(self, given: Given) -> Figure:
        """One stair after another."""
        t = torch.linspace(0, self.T, self.steps + 1, dtype=torch.float64)
        theory, modes = self._theory(given), self._modes(given)
        curves = [Curve(modes[:, i], x=t, label=f"s_{i + 1}, layers") for i in range(self.d)]
        lines = [
            Curve(theory[:, i], x=t, label=f"logistic, i = {i + 1}", role="predicted", dashed=True)
            for i in range(self.d)
        ]
        return Figure(
            "Large singular values are learned first", x="t", y="s_i", marks=(*curves, *lines)
        )

    def _theory(self, given: Given) -> Tensor:
        t = torch.linspace(0, self.T, self.steps + 1, dtype=torch.float64)
        s_star = torch.linalg.svdvals(given.target)
        s0 = torch.linalg.svdvals(product(given.layers))
        return singular_mode(s0, s_star, t)

    def _modes(self, given: Given) -> Tensor:
        path = MatrixSensing(given.target).flow(given.layers, self.T, steps=self.steps)
        return torch.linalg.svdvals(torch.stack([product(Ws) for Ws in path]))
