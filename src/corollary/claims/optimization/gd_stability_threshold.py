r"""Largest stable learning rate of gradient descent on a quadratic: 2/λmax.

On a quadratic with :math:`Q\succ0` gradient descent converges from every start if and only if

.. math:: 0<\eta<\frac2{\lambda_{\max}},

twice the step up to which it is monotone. The limit is found by bisection: descent with a given
step converges when :math:`(I-\eta Q)^K` stays bounded for :math:`K=2^{36}` steps.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.4; Perez Jensen (2025), Deep
    Learning, Section 3.2.
:kind: theorem
:uses: gd_quadratic
:covers: gd-quadratic-rate, gradient-descent
:scale-free: The limit belongs to the matrix that is drawn; theory draws it and the picture.
:erratum: [loose] Section 5.4 says that eta < 1/lambda_max is needed; it is sufficient. Descent
    converges up to 2/lambda_max, and the best step of the same section lies beyond 1/lambda_max:
    for eigenvalues 1 and 10 it is 0.182 > 0.1. The sum over coordinates runs to d, not n.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, option
from corollary.core.picture import Curve, Level, Marks, Points, picture
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum, quadratic_rate


class Given(NamedTuple):
    Q: Float[Tensor, "d d"]  # Hessian


def stable(Q: Tensor, eta: float) -> bool:
    """Whether 2^36 steps leave every start bounded, by 36 squarings."""
    step = torch.eye(len(Q), dtype=Q.dtype) - eta * Q
    for _ in range(36):
        step = step @ step
        size = float(step.abs().max())
        if size < 1e-150:
            return True
        if not size < 1e150:
            return False
    return size <= 1.0


class GdStabilityThreshold(Claim[Given]):
    d: int = 6  # dimension
    kappa: float = option(10.0, low=1.0, high=1e4)  # condition number of Q

    relation = equals(ulps=2**20)  # 2^36 steps resolve the limit to about 1e-10
    supposes = Suppose(
        "Q is positive definite",
        lambda g: torch.linalg.eigvalsh(g.Q)[0],
        "At a saddle no step size converges.",
        Q=lambda g: g.Q - 1.1 * torch.eye(len(g.Q), dtype=g.Q.dtype),
    )
    symbols = "2/λmax", "largest step that stays bounded"

    def given(self, rng: Generator) -> Given:
        values = torch.logspace(0, 1, self.d, base=self.kappa, dtype=torch.float64)
        return Given(matrix_with_spectrum(values, rng=rng))

    def predict(self, given: Given) -> float:
        return 2 / float(torch.linalg.eigvalsh(given.Q)[-1])

    def measure(self, given: Given) -> float:
        low, high = 0.0, 8 / float(given.Q.diagonal().abs().max())
        while high - low > 1e-12 * high and high > 1e-12:
            middle = (low + high) / 2
            low, high = (middle, high) if stable(given.Q, middle) else (low, middle)
        return low

    @picture("Descent converges up to 2/λmax", x="η", y="error after a step / error before")
    def marks(self, trial: Trial[Given]) -> Marks:
        Q, limit = trial.given.Q, trial.predicted
        eta = torch.linspace(0.02, 1.15, 60, dtype=torch.float64) * limit
        worst = [float(quadratic_rate(Q, float(e)).factors.max()) ** 0.5 for e in eta]

        def last_factor(step: float) -> float:
            run = gradient_descent(lambda x: 0.5 * x @ Q @ x, Q.sum(dim=0), step, 200)
            return float(run.x[-1].norm() / run.x[-2].norm())

        yield Curve(worst, eta, "max |1 − ηλ|", "predicted")
        yield Points(eta[::5], [last_factor(float(e)) for e in eta[::5]], "after 200 steps")
        yield Level(1.0, label="no progress", role="other")
        yield Level(limit / 2, label="1/λmax", role="other", axis="x")
        yield Level(limit, label="2/λmax", axis="x")
