r"""Batch normalisation forgets the scale of a weight.

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
:cost: instant
:covers: batchnorm-scale-collapse
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional as F

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.regularization.scale_collapse import bn_network


class Given(NamedTuple):
    """A batch, first weights, a second weight and delta."""

    x: Float[Tensor, " n"]
    w1: Float[Tensor, " k"]
    w2: float
    delta: float


class BatchNormScale(Claim[Given]):
    n: int = option(32, low=2, high=1000)  # values in the batch
    relation = equals(ulps=2**12, scale=1.0)  # mean and variance of products with w1 up to 50

    def given(self, rng: Generator) -> Given:
        """A normal batch, and weights of very different sizes and both signs."""
        x = 1 + torch.randn(self.n, generator=rng, dtype=torch.float64)
        w1 = torch.tensor([0.1, 1.0, 50.0, -0.1, -7.0], dtype=torch.float64)
        return Given(x, w1, 1 + float(torch.rand(1, generator=rng)), 0.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Something to normalise by, and nothing else."""
        yield Hypothesis("no first weight is 0", bool((given.w1 != 0).all()))
        yield Hypothesis(
            "nothing is added to the variance", given.delta == 0, f"δ = {given.delta:g}"
        )

    def predict(self, given: Given) -> list[float]:
        """What the sign alone gives, and no slope in the first weights."""
        x, w1, w2, _ = given
        z = (x - x.mean()) / x.std(correction=0)
        outputs = w2 * torch.tanh(w1.sign()[:, None] * z)
        return [*outputs.flatten().tolist(), *torch.zeros_like(w1).tolist()]

    def measure(self, given: Given) -> list[float]:
        """Outputs through torch's batch normalisation, and the slope of their sum of squares."""
        x, w1, w2, delta = given
        w1 = w1.clone().requires_grad_()
        h = x[:, None] * w1  # one channel a weight
        # torch refuses an eps of 0; 1e-300 added to a variance is nothing
        z = F.batch_norm(h, None, None, training=True, eps=max(delta, 1e-300))
        outputs = w2 * torch.tanh(z)
        (slope,) = torch.autograd.grad(outputs.square().sum(), w1)
        return [*outputs.detach().T.flatten().tolist(), *slope.tolist()]

    def counterexample(self, rng: Generator) -> Given:
        """The delta of torch's layers beside a small weight."""
        given = self.given(rng)
        return given._replace(w1=0.01 * given.w1, delta=1e-5)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The functions that are left, and those that gamma gives back."""
        x = given.x.sort().values
        plain = [
            Curve(given.w2 * torch.tanh(w * x), x=x, label=f"no BN, w₁ = {w:g}", role="other")
            for w in (0.1, 50.0)
        ]
        left = []
        for w in (0.1, 50.0, -7.0):
            y = bn_network(x, torch.tensor(w, dtype=x.dtype), given.w2, torch.tanh, correction=0)
            left.append(Points(x, y, label=f"BN, w₁ = {w:g}"))
        z = (x - x.mean()) / x.std(correction=0)
        signs = [
            Curve(given.w2 * torch.tanh(s * z), x=x, label=f"sign {s:+d}", role="predicted")
            for s in (1, -1)
        ]
        one = torch.ones((), dtype=x.dtype)
        back = [
            Curve(
                bn_network(x, one, given.w2, torch.tanh, gamma=g, correction=0),
                x=x,
                label=f"γ = {g:g}",
                dashed=g != 1,
            )
            for g in (0.2, 1.0, 5.0)
        ]
        return (
            Figure(
                "With BN only the sign of w₁ is left",
                x="x",
                y="f(x)",
                marks=(*plain, *signs, *left),
            ),
            Figure("γ gives the scale back", x="x", y="f(x)", marks=tuple(back)),
        )
