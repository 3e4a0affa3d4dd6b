r"""The largest stable step.

On a quadratic with :math:`Q\succ0` gradient descent converges from every start if and only if

.. math:: 0<\eta<\frac2{\lambda_{\max}},

twice the step up to which it is monotone. The limit is found by bisection: descent with a given
step converges when :math:`(I-\eta Q)^K` stays bounded for :math:`K=2^{36}` steps.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.4; Perez Jensen (2025), Deep
    Learning, Section 3.2.
:kind: theorem
:cost: instant
:covers: gd-quadratic-rate, gradient-descent
:erratum: [loose] Section 5.4 says that eta < 1/lambda_max is needed; it is sufficient. Descent
    converges up to 2/lambda_max, and the best step of the same section lies beyond 1/lambda_max:
    for eigenvalues 1 and 10 it is 0.182 > 0.1. The sum over coordinates runs to d, not n.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, equals, option
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum


class Given(NamedTuple):
    """The Hessian and a start."""

    Q: Float[Tensor, "d d"]
    x0: Float[Tensor, " d"]


class GdStabilityThreshold(Claim[Given]):
    d: int = 6  # dimension
    kappa: float = option(10.0, low=1.0, high=1e4)  # condition number of Q
    relation = equals(ulps=2**20)  # 2^36 steps resolve the limit to about 1e-10

    def given(self, rng: Generator) -> Given:
        """Eigenvalues from 1 to kappa."""
        values = torch.logspace(0, 1, self.d, base=self.kappa, dtype=torch.float64)
        x0 = torch.randn(self.d, generator=rng, dtype=torch.float64)
        return Given(matrix_with_spectrum(values, rng=rng), x0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The matrix."""
        low = float(torch.linalg.eigvalsh(given.Q)[0])
        yield Hypothesis("Q is positive definite", low > 0, f"smallest eigenvalue {low:.3g}")

    def predict(self, given: Given) -> float:
        """Two over the largest eigenvalue."""
        return 2 / float(torch.linalg.eigvalsh(given.Q)[-1])

    def measure(self, given: Given) -> float:
        """Bisection between 0 and a step that is surely too long."""
        low, high = 0.0, 8 / float(given.Q.diagonal().abs().max())
        while high - low > 1e-12 * high and high > 1e-12:
            middle = (low + high) / 2
            low, high = (middle, high) if _stable(given.Q, middle) else (low, middle)
        return low

    def counterexample(self, rng: Generator) -> Given:
        """A saddle: no step converges."""
        values = torch.linspace(-0.1, 1, self.d + 1, dtype=torch.float64)[[0, *range(1, self.d)]]
        x0 = torch.randn(self.d, generator=rng, dtype=torch.float64)
        return Given(matrix_with_spectrum(values, rng=rng), x0)

    def figure(self, given: Given) -> Figure:
        """The factor of a step by the step size."""
        values = torch.linalg.eigvalsh(given.Q)
        low, high = float(values[0]), float(values[-1])
        eta = torch.linspace(0.02, 2.3, 115, dtype=torch.float64) / high
        worst = (1 - eta[:, None] * values).abs().amax(dim=1)
        tried = torch.linspace(0.1, 2.25, 16, dtype=torch.float64) / high
        return Figure(
            "Descent converges up to 2/λmax",
            x="η",
            y="error after a step / error before",
            marks=(
                Curve(worst, eta, "max |1 − ηλ|", "predicted"),
                Points(tried, [_last_factor(given, float(e)) for e in tried], "after 40 steps"),
                Level(1.0, label="no progress", role="other"),
                Level(1 / high, label="1/λmax", role="other", axis="x"),
                Level(2 / (low + high), label="best step", role="other", axis="x"),
                Level(2 / high, label="2/λmax", axis="x"),
            ),
        )


def _stable(Q: Tensor, eta: float) -> bool:
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


def _last_factor(given: Given, eta: float) -> float:
    """Ratio of the last two errors of a run; the minimiser is 0."""
    run = gradient_descent(lambda x: 0.5 * x @ given.Q @ x, given.x0, eta, 40)
    sizes = run.x.norm(dim=1)
    return float(sizes[-1] / sizes[-2])
