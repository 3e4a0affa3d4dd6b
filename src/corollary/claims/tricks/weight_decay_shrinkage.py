r"""Where weight decay ends.

For a quadratic loss with Hessian H and minimiser :math:`\theta^*`, gradient descent with decay
:math:`\mu` ends at

.. math:: \theta_\mu=(H+\mu I)^{-1}H\theta^*,\qquad
   (Q^\top\theta_\mu)_i=\frac{\lambda_i}{\lambda_i+\mu}(Q^\top\theta^*)_i,

so directions with little curvature are forgotten first. :math:`\sum_i\lambda_i/(\lambda_i+\mu)` is
the number of parameters that are left.

:source: Perez Jensen (2025), Deep Learning, Section 8.2; Hastie, Tibshirani and Friedman (2009),
    The Elements of Statistical Learning, Section 3.4.1.
:kind: identity
:cost: instant
:covers: weight-decay-shrinkage
:erratum: [typo] The Taylor expansion in the notes lacks the factor 1/2 on the Hessian term; the
    gradient line and the result are right.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.tricks.weight_decay import decayed_step, shrinkage


class Given(NamedTuple):
    """Hessian, minimiser and decay."""

    H: Float[Tensor, "d d"]
    theta_star: Float[Tensor, " d"]
    mu: float


@dataclass(frozen=True)
class WeightDecayShrinkage(Claim[Given]):
    """What is left of the minimiser along each eigenvector."""

    d: int = option(5, low=1, high=50)  # parameters
    mu: float = option(0.5, low=0.2, high=10.0)  # decay
    relation = equals(ulps=2**12, scale=1.0)  # descent has come to its end

    def given(self, rng: Generator) -> Given:
        """Eigenvalues between 0.01 and 10 in a random basis."""
        Q = torch.linalg.qr(torch.randn(self.d, self.d, generator=rng, dtype=torch.float64)).Q
        values = torch.logspace(-2, 1, self.d, dtype=torch.float64)
        theta = Q @ (0.5 + torch.rand(self.d, generator=rng, dtype=torch.float64))
        return Given((Q * values) @ Q.T, theta, self.mu)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The penalised loss has a minimum."""
        low = float(torch.linalg.eigvalsh(given.H)[0])
        yield Hypothesis("all eigenvalues of H are above -μ", low > -given.mu, f"lowest {low:.3g}")

    def predict(self, given: Given) -> list[float]:
        """The factors."""
        return shrinkage(torch.linalg.eigvalsh(given.H), given.mu).tolist()

    def measure(self, given: Given) -> list[float]:
        """The end of gradient descent over the minimiser, along the eigenvectors."""
        values, Q = torch.linalg.eigh(given.H)
        theta, eta = torch.zeros_like(given.theta_star), 1 / (float(values[-1]) + given.mu)
        steps = int(40 / (eta * max(float(values[0]) + given.mu, 0.2)))
        for _ in range(steps):
            gradient = given.H @ (theta - given.theta_star)
            theta = decayed_step(theta, gradient, eta, given.mu)
        return ((Q.T @ theta) / (Q.T @ given.theta_star)).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A saddle steeper than the penalty: descent runs away."""
        given = self.given(rng)
        return given._replace(H=given.H - 1.2 * self.mu * torch.eye(self.d, dtype=torch.float64))

    def figure(self, given: Given) -> Figure:
        """The factor against curvature, for three decays."""
        smooth = torch.logspace(-3, 2, 80, dtype=torch.float64)
        values = torch.linalg.eigvalsh(given.H)
        marks: list[Curve | Points] = []
        for mu, role in ((given.mu / 5, "other"), (given.mu, "predicted"), (5 * given.mu, "other")):
            label = f"λ/(λ + μ), μ = {mu:g}"
            marks.append(Curve(shrinkage(smooth, mu), smooth, label=label, role=role))
        marks.append(Points(values, self.measure(given), label=f"descent, μ = {given.mu:g}"))
        return Figure(
            "What weight decay leaves", x="λ", y="share of θ* that is kept", log_x=True,
            marks=tuple(marks),
        )  # fmt: skip
