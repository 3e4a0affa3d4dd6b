r"""Fixed points of weight decay, coupled and decoupled.

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
:uses: weight_decay
:covers: scratch-gd-weight-decay
"""

from typing import NamedTuple

import numpy as np
from torch import Generator

from corollary.core import Along, Claim, Suppose, Sweep, equals, normal, option
from corollary.models.scratch import GD


class Given(NamedTuple):
    X: np.ndarray  # a regression problem
    y: np.ndarray
    eta: float  # learning rate
    decay: float


def top(given: Given) -> float:
    """The largest curvature."""
    return float(np.linalg.eigvalsh(given.X.T @ given.X / len(given.y))[-1])


class WeightDecayFixedPoints(Claim[Given]):
    n: int = option(60, low=20)  # points
    d: int = option(4, low=1, high=10)  # dimension
    eta: float = option(0.1, low=0.02, high=0.2)  # learning rate
    decay: float = option(0.1, low=0.01, high=0.3)  # weight decay of both forms
    steps: int = option(3000, low=500)  # steps

    relation = equals(ulps=2**14, scale=1.0)  # the way has ended; rounding is left
    supposes = Suppose(
        "the step is below 2 / (largest curvature + penalty)",
        lambda g: 2 / (top(g) + max(g.decay, g.decay / g.eta)) - g.eta,
        "If the step is slightly too large, descent diverges in the steepest direction.",
        eta=lambda g: 2.05 / top(g),
    )
    symbols = "ridge, penalties λ and λ'/η", "end of gradient descent"
    rows = ("w₁", "w₂", "w₃", "w₄", "w₁'", "w₂'", "w₃'", "w₄'")  # with a prime: decoupled
    shows = (
        Along("Two forms of weight decay", x="coupled, then decoupled", y="w", without=False),
        Sweep(
            "The decoupled form depends on the step size",
            "eta",
            (0.02, 0.05, 0.1, 0.2),
            x="η",
            y="last weight, decoupled",
            entry=-1,
        ),
    )

    def given(self, rng: Generator) -> Given:
        X = normal(rng, self.n, self.d)
        y = X.sum(1) + 0.5 * normal(rng, self.n)
        return Given(X.numpy(), y.numpy(), self.eta, self.decay)

    def predict(self, given: Given) -> np.ndarray:
        X, y, eta, decay = given
        H, g = X.T @ X / len(y), X.T @ y / len(y)
        one = np.eye(len(H))
        return np.concatenate([np.linalg.solve(H + p * one, g) for p in (decay, decay / eta)])

    def measure(self, given: Given) -> np.ndarray:
        X, y, eta, decay = given

        def end(optimizer: GD) -> np.ndarray:
            w = np.zeros(X.shape[1])
            for _ in range(self.steps):
                w = optimizer.moved(w, X.T @ (X @ w - y) / len(y))
            return w

        return np.concatenate([end(GD(eta, decay, decoupled=form)) for form in (False, True)])
