r"""Batch normalisation makes the scale of a weight irrelevant.

For :math:`f(x)=w_2\,\varphi(w_1x)` with the first layer normalised over the batch and not rescaled,

.. math:: \frac{w_1x-w_1m}{\sqrt{w_1^2s^2+\delta}}=\operatorname{sign}(w_1)\,\frac{x-m}s
   \quad\text{for }\delta=0,

so of the real number :math:`w_1` only the sign is left: f is one of two functions for each
:math:`w_2`, and :math:`\partial f/\partial w_1=0`. Learnable :math:`\gamma` and :math:`\beta` give
scale and shift back. The :math:`\delta` of every implementation keeps a trace of :math:`w_1` once
:math:`w_1^2s^2` is as small as it.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 10, Exercises, Problem 2; Ioffe and
    Szegedy (2015), "Batch normalization".
:kind: theorem
:uses: batch_norm_direction
:covers: batchnorm-scale-collapse
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, normal, option, uniform
from corollary.theory.regularization.scale_collapse import bn_network


class Given(NamedTuple):
    x: Float[Tensor, " n"]  # batch
    w1: Float[Tensor, " k"]  # first weights
    w2: float  # second weight
    delta: float


class BatchNormScale(Claim[Given]):
    n: int = option(32, low=2, high=1000)  # values in the batch

    relation = equals(ulps=2**12, scale=1.0)  # mean and variance of products with w1 up to 50
    supposes = (
        Suppose("no first weight is 0", lambda g: g.w1.abs().min()),
        Suppose(
            "nothing is added to the variance",
            lambda g: (g.delta == 0, f"δ = {g.delta:g}"),
            "If a small delta is added to the variance, as in torch, the size of small weights "
            "matters.",
            w1=lambda g: 0.01 * g.w1,
            delta=1e-5,
        ),
    )
    symbols = "f from the sign of w₁ alone; no slope", "f(x), w₁ ∂(Σ f²)/∂w₁"
    shows = Parity("With batch normalisation only the sign of w₁ is left")

    def given(self, rng: Generator) -> Given:
        w1 = torch.tensor([0.1, 1.0, 50.0, -0.1, -7.0], dtype=torch.float64)
        return Given(1 + normal(rng, self.n), w1, 1 + float(uniform(rng, 1)), 0.0)

    def predict(self, given: Given) -> Tensor:
        x, w1, w2, _ = given
        z = (x - x.mean()) / x.std(correction=0)
        return torch.cat([(w2 * torch.tanh(w1.sign()[:, None] * z)).flatten(), 0 * w1])

    def measure(self, given: Given) -> Tensor:
        x, w1, w2, delta = given
        w1 = w1.clone().requires_grad_()
        outputs = bn_network(x, w1, w2, torch.tanh, delta=delta, correction=0)
        (slope,) = torch.autograd.grad(outputs.square().sum(), w1)
        return torch.cat([outputs.flatten(), w1 * slope])
