r"""Dividing by N twice is a step N times smaller.

The logistic loss is a mean over :math:`N` points, so its gradient in the logits carries
:math:`1/N`. A layer that divides its own :math:`dW` and :math:`db` by :math:`N` once more makes the
gradients of all parameters exactly :math:`N` times too small, whatever the depth, and plain
gradient descent of step :math:`\eta` becomes

.. math:: \theta\leftarrow\theta-\frac{\eta}{N}\nabla L(\theta):

the same run as the corrected one with step :math:`\eta/N`. With weight decay the two part, because
the decay is not divided.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 2.7.1, 2.7.2 and 2.7.7.
:kind: identity
:cost: instant
:covers: scratch-linear-layer, scratch-training-run
:erratum: [code bug] In the printed listing BCE.backward divides by N and LinearLayer.backward does
    so again: for the notes' 2000 points the step 0.5 acts as 2.5e-4. Measured here is the listing,
    predicted the corrected program with its step divided by N.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.two_gaussians import two_gaussians
from corollary.models.scratch import GD, Trained, train


class Given(NamedTuple):
    """Points, labels, the seed of the weights and the decay."""

    X: np.ndarray
    y: np.ndarray
    seed: int
    decay: float

    def run(self, m: int, steps: int, lr: float, double_division: bool) -> Trained:
        """One of the two programs."""
        return train(
            self.X, self.y, layer_dims=(2, m, m, 1), steps=steps, double_division=double_division,
            optimizer=GD(lr, self.decay), rng=np.random.default_rng(self.seed),
        )  # fmt: skip


class DoubleDivision(Claim[Given]):
    n: int = 100  # points of each class
    m: int = 16  # width of both hidden layers
    eta: float = option(0.5, low=1e-3, high=10.0)  # step of the listing
    steps: int = option(100, low=2, high=1000)  # steps
    relation = equals(ulps=2**16)  # the divisions are made in another order, step after step

    def given(self, rng: Generator) -> Given:
        """Two Gaussian classes, no decay."""
        X, y = two_gaussians(self.n, rng=rng)
        seed = int(torch.randint(2**31, (), generator=rng, device=rng.device))
        return Given(X.numpy(), y.numpy(), seed, 0.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Only gradients move the weights."""
        yield Hypothesis("there is no weight decay", given.decay == 0, f"decay {given.decay:g}")

    def predict(self, given: Given) -> list[float]:
        """The corrected program with a step N times smaller."""
        return given.run(self.m, self.steps, self.eta / len(given.y), False).losses

    def measure(self, given: Given) -> list[float]:
        """The program as printed."""
        return given.run(self.m, self.steps, self.eta, True).losses

    def counterexample(self, rng: Generator) -> Given:
        """A decay of one per mille of the weights in each step of the listing."""
        return self.given(rng)._replace(decay=1e-3 / self.eta)

    def figure(self, given: Given) -> Figure:
        """Both runs, and the corrected one with the step as it was meant."""
        meant = given.run(self.m, self.steps, self.eta, False).losses
        at = list(range(0, self.steps, max(1, self.steps // 20)))
        printed = self.measure(given)
        marks = (
            Curve(self.predict(given), label="corrected, step η/N", role="predicted"),
            Points(at, [printed[i] for i in at], label="as printed, step η"),
            Curve(meant, label="corrected, step η", role="other", dashed=True),
        )
        return Figure("One division too many", x="step", y="L", marks=marks)
