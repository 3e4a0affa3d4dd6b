r"""Dividing the gradient by N twice makes the learning rate N times smaller.

The logistic loss is a mean over :math:`N` points, so its gradient in the logits carries
:math:`1/N`. A layer that divides its own :math:`dW` and :math:`db` by :math:`N` once more makes the
gradients of all parameters exactly :math:`N` times too small, whatever the depth, and plain
gradient descent of step :math:`\eta` becomes

.. math:: \theta\leftarrow\theta-\frac{\eta}{N}\nabla L(\theta):

the same run as the corrected one with step :math:`\eta/N`. With weight decay the two part, because
the decay is not divided.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 2.7.1, 2.7.2 and 2.7.7.
:kind: identity
:covers: scratch-linear-layer, scratch-training-run
:erratum: [code bug] In the printed listing BCE.backward divides by N and LinearLayer.backward does
    so again: for the notes' 2000 points the step 0.5 acts as 2.5e-4. Measured here is the listing,
    predicted the corrected program with its step divided by N.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Generator

from corollary.core import Along, Claim, Suppose, equals, option
from corollary.data.two_gaussians import two_gaussians
from corollary.models.scratch import GD, train


class Given(NamedTuple):
    X: np.ndarray  # points
    y: np.ndarray  # labels
    seed: int  # of the weights
    decay: float


class DoubleDivision(Claim[Given]):
    n: int = 100  # points of each class
    m: int = 16  # width of both hidden layers
    eta: float = option(0.5, low=1e-3, high=10.0)  # learning rate of the listing
    steps: int = option(100, low=2, high=1000)  # steps

    relation = equals(ulps=2**16)  # the divisions are made in another order, step after step
    supposes = Suppose(
        "there is no weight decay",
        lambda g: (g.decay == 0, f"decay {g.decay:g}"),
        "The listing also shrinks the weights by 0.2 % per step, and this is not divided by N.",
        decay=2e-3,
    )
    symbols = "corrected, step η/N", "as printed in the notes, step η"
    shows = Along("Loss with one division by N and with two", x="step", y="loss")

    def given(self, rng: Generator) -> Given:
        X, y = two_gaussians(self.n, rng=rng)
        return Given(X.numpy(), y.numpy(), int(torch.randint(2**31, (), generator=rng)), 0.0)

    def run(self, given: Given, lr: float, double_division: bool) -> list[float]:
        """The losses of one of the two programs."""
        trained = train(
            given.X,
            given.y,
            layer_dims=(2, self.m, self.m, 1),
            steps=self.steps,
            double_division=double_division,
            optimizer=GD(lr, given.decay),
            rng=np.random.default_rng(given.seed),
        )
        return trained.losses

    def predict(self, given: Given) -> list[float]:
        return self.run(given, self.eta / len(given.y), False)

    def measure(self, given: Given) -> list[float]:
        return self.run(given, self.eta, True)
