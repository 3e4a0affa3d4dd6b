r"""Threshold units stop the gradient.

The Heaviside function is flat on both sides of 0, so for a network
:math:`f(x)=v\cdot H(Wx+b)+c` every derivative of the loss in :math:`W` and :math:`b` vanishes
almost everywhere:

.. math:: \nabla_W \mathcal{L}=0,\qquad \nabla_b \mathcal{L}=0 .

Gradient descent moves the output weights and leaves the first layer exactly where it started; a
small change of the first layer changes the loss by nothing. A sigmoid in the place of the
threshold restores the signal.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.2; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Threshold Units.
:kind: theorem
:cost: instant
:covers: threshold-unit
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.models.threshold import Heaviside
from corollary.theory.connectionism.ridge import slope_of

HEAVISIDE = Heaviside()
NUDGE = 1e-9  # far below the distance of any pre-activation from 0


class Given(NamedTuple):
    """A regression problem and a network with one hidden layer."""

    x: Float[Tensor, "n d"]  # points
    y: Float[Tensor, " n"]  # targets
    W: Float[Tensor, "m d"]  # first layer at the start
    b: Float[Tensor, " m"]  # its biases
    v: Float[Tensor, " m"]  # output weights at the start
    steepness: float  # of the hidden sigmoid; infinite is the threshold

    def phi(self, z: Tensor) -> Tensor:
        """The hidden activation."""
        if math.isinf(self.steepness):
            return HEAVISIDE(z)
        return torch.sigmoid(self.steepness * z)

    def loss(self, W: Tensor, b: Tensor, v: Tensor) -> Tensor:
        """Mean squared error."""
        return (self.phi(self.x @ W.T + b) @ v - self.y).square().mean()


@dataclass(frozen=True)
class ThresholdGradient(Claim[Given]):
    """How far the first layer moves, and how the loss answers a nudge of it."""

    n: int = 40  # points
    d: int = 5  # dimension
    m: int = 12  # hidden units
    eta: float = option(0.05, low=1e-6, high=1.0)  # step size
    steps: int = 60  # of gradient descent on all weights
    relation = equals()  # zero exactly: no operation of the backward pass rounds

    def given(self, rng: Generator) -> Given:
        """Gaussian points and weights; targets from another threshold network."""

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, device=rng.device, dtype=torch.float64)

        x = normal(self.n, self.d)
        y = torch.sign(x @ normal(self.d)) + torch.sign(x @ normal(self.d))
        W, b, v = normal(self.m, self.d), normal(self.m), normal(self.m) / self.m**0.5
        return Given(x, y, W, b, v, math.inf)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Flat hidden units, and no point on a jump."""
        slope = slope_of(given.phi, given.x @ given.W.T + given.b)
        yield Hypothesis("no pre-activation is at the jump", not slope.isnan().any())
        flat = bool((slope.nan_to_num(0.0) == 0).all())
        yield Hypothesis("the hidden units are flat at every pre-activation", flat)

    def predict(self, given: Given) -> list[float]:
        """Nothing moves, nothing answers."""
        return [0.0, 0.0, 0.0]

    def measure(self, given: Given) -> list[float]:
        """Way of W, way of b, and the change of the loss per unit of a nudge of W."""
        moved_W, moved_b, _, _ = self._descent(given)
        before = given.loss(given.W, given.b, given.v)
        after = given.loss(given.W + NUDGE, given.b, given.v)
        return [moved_W[-1], moved_b[-1], float((after - before).abs()) / NUDGE]

    def counterexample(self, rng: Generator) -> Given:
        """Sigmoid units: the first layer learns."""
        return self.given(rng)._replace(steepness=1.0)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Ways of both layers and the loss, beside a sigmoid twin."""
        hard, soft = self._descent(given), self._descent(given._replace(steepness=1.0))
        ways = (
            Level(0.0, label="‖W_t − W_0‖, predicted"),
            Curve(hard[0], label="‖W_t − W_0‖, threshold"),
            Curve(hard[2], label="‖v_t − v_0‖, threshold", role="other", dashed=True),
            Curve(soft[0], label="‖W_t − W_0‖, sigmoid twin", role="other"),
        )
        losses = (
            Curve(hard[3], label="threshold units"),
            Curve(soft[3], label="sigmoid twin", role="other"),
        )
        return (
            Figure("The first layer does not learn", x="step t", y="way gone", marks=ways),
            Figure("Only the output layer lowers the loss", x="step t", y="loss", marks=losses),
        )

    def _descent(self, given: Given) -> tuple[list[float], ...]:
        """Ways of W, b and v from the start, and the loss, after each step."""
        start = (given.W, given.b, given.v)
        weights, rows = start, []
        for _ in range(self.steps):
            weights = tuple(w.detach().requires_grad_(True) for w in weights)
            gradients = torch.autograd.grad(given.loss(*weights), weights)
            weights = tuple(
                w.detach() - self.eta * g for w, g in zip(weights, gradients, strict=True)
            )
            ways = [float((w - s).norm()) for w, s in zip(weights, start, strict=True)]
            rows.append([*ways, float(given.loss(*weights))])
        return tuple(map(list, zip(*rows, strict=True)))
