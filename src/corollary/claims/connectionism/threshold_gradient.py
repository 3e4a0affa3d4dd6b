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
:uses: chain_rule
:covers: threshold-unit
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.models.threshold import Heaviside

NUDGE = 1e-9  # far below the distance of any pre-activation from 0


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points
    y: Float[Tensor, " n"]  # targets
    W: Float[Tensor, "m d"]  # first layer at the start
    b: Float[Tensor, " m"]  # its biases
    v: Float[Tensor, " m"]  # output weights at the start
    phi: Callable[[Tensor], Tensor] = Heaviside()  # the hidden activation

    def loss(self, W: Tensor, b: Tensor, v: Tensor) -> Tensor:
        """Mean squared error."""
        return (self.phi(self.x @ W.T + b) @ v - self.y).square().mean()

    def z(self) -> Float[Tensor, "n m"]:
        """Pre-activations at the start."""
        return self.x @ self.W.T + self.b


def at_the_jump(given: Given) -> Given:
    """If a unit sits exactly at its jump, the smallest change of its weights changes the loss."""
    return given._replace(W=0 * given.W - NUDGE / 2, x=given.x.abs(), b=0 * given.b)


class ThresholdGradient(Claim[Given]):
    n: int = 40  # points
    d: int = 5  # dimension
    m: int = 12  # hidden units
    eta: float = option(0.05, low=1e-6, high=1.0)  # learning rate
    steps: int = 60  # steps of gradient descent on all weights

    relation = equals()  # zero exactly: no operation of the backward pass rounds
    supposes = (
        Suppose(
            "no pre-activation is near the jump",
            lambda g: g.z().abs().min() - 100 * NUDGE,
            without=at_the_jump,
        ),
        Suppose(
            "the activation is constant around every pre-activation",
            lambda g: torch.equal(g.phi(g.z() + NUDGE), g.phi(g.z())),
            "With sigmoid units, the first layer learns.",
            phi=lambda g: torch.sigmoid,
        ),
    )
    symbols = "0", "change"
    predicts = [0.0, 0.0, 0.0]
    rows = (
        "distance moved by the weights W",
        "distance moved by the biases b",
        "change of the loss per nudge of W",
    )

    def given(self, rng: Generator) -> Given:
        x = normal(rng, self.n, self.d)
        y = torch.sign(x @ normal(rng, self.d)) + torch.sign(x @ normal(rng, self.d))
        W, b, v = normal(rng, self.m, self.d), normal(rng, self.m), normal(rng, self.m)
        return Given(x, y, W, b, v / self.m**0.5)

    def measure(self, given: Given) -> Kept:
        start: tuple[Tensor, ...] = (given.W, given.b, given.v)
        weights = start
        ways = []
        for _ in range(self.steps):
            weights = tuple(w.detach().requires_grad_(True) for w in weights)
            gradients = torch.autograd.grad(given.loss(*weights), weights)
            pairs = zip(weights, gradients, strict=True)
            weights = tuple(w.detach() - self.eta * g for w, g in pairs)
            ways.append([float((w - s).norm()) for w, s in zip(weights, start, strict=True)])
        before = given.loss(*start)
        after = given.loss(given.W + NUDGE, given.b, given.v)
        found = [*ways[-1][:2], float((after - before).abs()) / NUDGE]
        return Kept(found, W=[way[0] for way in ways], v=[way[2] for way in ways])

    @picture("The first layer does not learn", x="step t", y="distance moved")
    def marks(self, trial: Trial[Given]) -> Marks:
        hard, soft = trial.kept, [t.kept for t in trial.without[1:]]
        yield Level(0.0, label="‖W_t − W_0‖, predicted")
        yield Curve(hard.W, label="‖W_t − W_0‖, threshold")
        yield Curve(hard.v, label="‖v_t − v_0‖, threshold", role="other", dashed=True)
        for s in soft:
            yield Curve(s.W, label="‖W_t − W_0‖, sigmoid twin", role="other")
