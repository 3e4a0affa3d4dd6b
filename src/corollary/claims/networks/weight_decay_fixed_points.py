r"""What weight decay converges to.

On a squared loss, gradient descent with decay in the gradient,
:math:`w\leftarrow w-\eta(\nabla\ell(w)+\lambda w)`, ends at the ridge solution of penalty
:math:`\lambda`. The decoupled form of the notes' listing,
:math:`w\leftarrow(1-\lambda')w-\eta\nabla\ell(w)`, ends at the ridge solution of penalty

.. math:: \lambda'/\eta,

so its regularisation depends on the step size. Both need a step below
:math:`2/(\lambda_{\max}+\text{penalty})`. On :math:`\frac12(w-1)^2` with step and decay 0.1 the
limits are 1/1.1 and 1/2.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.7.4; Loshchilov and Hutter (2019),
    "Decoupled weight decay regularization".
:kind: limit
:cost: instant
:covers: scratch-gd-weight-decay
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.models.scratch import GD


class Given(NamedTuple):
    """A regression problem, the step and the decay."""

    X: np.ndarray
    y: np.ndarray
    eta: float
    decay: float

    def gradient(self, w: np.ndarray) -> np.ndarray:
        """Of the mean squared error, halved."""
        return self.X.T @ (self.X @ w - self.y) / len(self.y)

    def ridge(self, penalty: float) -> np.ndarray:
        """The closed form."""
        H = self.X.T @ self.X / len(self.y)
        return np.linalg.solve(H + penalty * np.eye(len(H)), self.X.T @ self.y / len(self.y))

    def path(self, decoupled: bool, steps: int) -> np.ndarray:
        """The weights after each step."""
        optimizer, w = GD(self.eta, self.decay, decoupled=decoupled), np.zeros(self.X.shape[1])
        out = [w]
        for _ in range(steps):
            out.append(w := optimizer.moved(w, self.gradient(w)))
        return np.stack(out)


class WeightDecayFixedPoints(Claim[Given]):
    n: int = option(60, low=20)  # points
    d: int = option(4, low=1, high=10)  # dimension
    eta: float = option(0.1, low=0.02, high=0.2)  # step size
    decay: float = option(0.1, low=0.01, high=0.3)  # weight decay of both forms
    steps: int = option(3000, low=500)  # steps
    relation = equals(ulps=2**14, scale=1.0)  # the way has ended; rounding is left

    def given(self, rng: Generator) -> Given:
        """Gaussian points and a noisy linear target."""
        X = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        y = X.sum(1) + 0.5 * torch.randn(self.n, generator=rng, dtype=torch.float64)
        return Given(X.numpy(), y.numpy(), self.eta, self.decay)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Steps small enough for both forms."""
        top = float(np.linalg.eigvalsh(given.X.T @ given.X / len(given.y))[-1])
        limit = 2 / (top + max(given.decay, given.decay / given.eta))
        yield Hypothesis(
            "the step is below 2 / (largest curvature + penalty)", given.eta < limit,
            f"{given.eta:g} against {limit:.3g}",
        )  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """Two ridge solutions."""
        return [*given.ridge(given.decay), *given.ridge(given.decay / given.eta)]

    def measure(self, given: Given) -> list[float]:
        """Both ways to their ends."""
        return [*given.path(False, self.steps)[-1], *given.path(True, self.steps)[-1]]

    def counterexample(self, rng: Generator) -> Given:
        """A step just too large in the steepest direction."""
        given = self.given(rng)
        top = float(np.linalg.eigvalsh(given.X.T @ given.X / len(given.y))[-1])
        return given._replace(eta=2.05 / top)

    def figure(self, given: Given) -> Figure:
        """The first weight along both ways."""
        shown = 120
        first, second = (given.path(form, shown)[:, 0] for form in (False, True))
        marks = (
            Level(given.ridge(given.decay)[0], label="ridge, penalty λ"),
            Level(given.ridge(given.decay / given.eta)[0], label="ridge, penalty λ'/η"),
            Curve(first, label="coupled"),
            Curve(second, label="decoupled"),
        )
        return Figure("Two forms of weight decay", x="step", y="w₁", marks=marks)
