r"""Singular values of a linear network are learned one after another, largest first.

Two balanced layers that share their outer singular vectors with the target keep them along the
gradient flow of :math:`\frac14\|W_2W_1-W^*\|_F^2`, and each singular value follows a logistic
curve,

.. math:: \dot s=s(s^*-s),\qquad s(t)=\frac{s^*}{1+(s^*/s_0-1)e^{-s^*t}} :

it is learned at about :math:`t=\log(s^*/s_0)/s^*`, large ones first, with plateaus between.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 1; Saxe, McClelland and
    Ganguli (2014), "Exact solutions to the nonlinear dynamics of learning in deep linear neural
    networks", Eq. 8.
:kind: theorem
:uses: end_to_end_flow
:covers: end-to-end-flow
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor
from torch.linalg import svdvals

from corollary.core import Claim, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.core.relations import EPS
from corollary.theory.landscape.deep_linear import product
from corollary.theory.landscape.linear_flow import (
    MatrixSensing,
    balanced_layers,
    end_to_end_flow,
    singular_mode,
)

TIMES = 20  # at which the two are compared


class Given(NamedTuple):
    target: Tensor
    layers: list[Tensor]  # at the start


def shared(given: Given) -> float:
    """Common singular vectors: both products of start and target are symmetric."""
    W = product(given.layers)
    left, right = given.target @ W.T, W.T @ given.target
    off = (left - left.T).norm() + (right - right.T).norm()
    return float(1e-9 * left.norm() - off)


def own_vectors(self: "SingularModes", given: Given, rng: Generator) -> Given:
    """If the start has other singular vectors than the target, these have to turn first."""
    W = self.start * normal(rng, self.d, self.d)
    return given._replace(layers=balanced_layers(W, 2, rng=rng))


class SingularModes(Claim[Given]):
    d: int = option(3, low=1, high=6)  # size of the matrices
    start: float = option(0.01, low=1e-4, high=0.5)  # singular values at the start
    T: float = option(12.0, low=1.0, high=50.0)  # time
    steps: int = option(300, low=100, high=5000)  # steps of the Runge-Kutta method

    relation = equals(ulps=9e-7 / EPS, scale=1.0)  # error of the integration at this step
    supposes = Suppose("start and target share their singular vectors", shared, without=own_vectors)
    symbols = "logistic curves", "singular values of the product"

    def given(self, rng: Generator) -> Given:
        U, V = torch.linalg.qr(normal(rng, 2, self.d, self.d)).Q
        s = 2 / torch.arange(1, self.d + 1, dtype=torch.float64)
        return Given((U * s) @ V.T, balanced_layers(self.start * U @ V.T, 2, rng=rng))

    def predict(self, given: Given) -> Tensor:
        t = torch.linspace(0, self.T, TIMES + 1, dtype=torch.float64)[1:]
        s0, s_star = svdvals(product(given.layers)), svdvals(given.target)
        return singular_mode(s0, s_star, t).T.flatten().repeat(2)

    def measure(self, given: Given) -> Tensor:
        layers = MatrixSensing(given.target).flow(given.layers, self.T, steps=self.steps)
        start = product(given.layers)
        own = end_to_end_flow(start, given.target, 2, self.T, steps=self.steps)
        paths = [product(Ws) for Ws in layers], own
        stride = self.steps // TIMES
        modes = (svdvals(torch.stack(path[::stride][1:])).T.flatten() for path in paths)
        return torch.cat(list(modes))

    @picture("Large singular values are learned first", x="t", y="s_i")
    def marks(self, trial: Trial[Given]) -> Marks:
        t = torch.linspace(0, self.T, TIMES + 1)[1:]
        for i, s in enumerate(trial.predicted[: TIMES * self.d].reshape(self.d, -1)):
            yield Curve(s, x=t, label=f"logistic, i = {i + 1}", role="predicted")
        for i, s in enumerate(trial.measured[: TIMES * self.d].reshape(self.d, -1)):
            yield Points(t, s, label=f"s_{i + 1}, layers")
