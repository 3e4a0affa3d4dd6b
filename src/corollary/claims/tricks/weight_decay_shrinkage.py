r"""The limit of gradient descent with weight decay: shrinkage by λ/(λ + μ).

For a quadratic loss with Hessian H and minimiser :math:`\theta^*`, gradient descent with decay
:math:`\mu` ends at

.. math:: \theta_\mu=(H+\mu I)^{-1}H\theta^*,\qquad
   (Q^\top\theta_\mu)_i=\frac{\lambda_i}{\lambda_i+\mu}(Q^\top\theta^*)_i,

so directions with little curvature are forgotten first. :math:`\sum_i\lambda_i/(\lambda_i+\mu)` is
the number of parameters that are left.

:source: Perez Jensen (2025), Deep Learning, Section 8.2; Hastie, Tibshirani and Friedman (2009),
    The Elements of Statistical Learning, Section 3.4.1.
:kind: identity
:uses: gd_quadratic, weight_decay
:covers: weight-decay-shrinkage
:erratum: [typo] The Taylor expansion in the notes lacks the factor 1/2 on the Hessian term; the
    gradient line and the result are right.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option, uniform
from corollary.theory.tricks.weight_decay import decayed_step, shrinkage


class Given(NamedTuple):
    H: Float[Tensor, "d d"]  # Hessian
    theta_star: Float[Tensor, " d"]  # minimiser
    mu: float  # decay

    @property
    def values(self) -> Tensor:
        """Eigenvalues."""
        values: Tensor = torch.linalg.eigvalsh(self.H)
        return values


class WeightDecayShrinkage(Claim[Given]):
    d: int = option(5, low=1, high=50)  # parameters
    mu: float = option(0.5, low=0.2, high=10.0)  # decay

    relation = equals(ulps=2**12, scale=1.0)  # descent has reached its end
    supposes = Suppose(
        "all eigenvalues of H are above −μ",
        lambda g: g.values[0] + g.mu,
        "H has an eigenvalue below −μ, so descent diverges.",
        H=lambda g: g.H - 1.2 * g.mu * torch.eye(len(g.H)).double(),
    )
    symbols = "λ / (λ + μ)", "share of θ* after descent"
    shows = Along(
        "Share of the optimum that weight decay keeps",
        x="eigenvalue λ",
        at="values",
        log="x",
        without=False,
    )

    def given(self, rng: Generator) -> Given:
        Q = torch.linalg.qr(normal(rng, self.d, self.d)).Q
        values = torch.logspace(-2, 1, self.d, dtype=torch.float64)
        return Given((Q * values) @ Q.T, Q @ (0.5 + uniform(rng, self.d)), self.mu)

    def predict(self, given: Given) -> Tensor:
        return shrinkage(given.values, given.mu)

    def measure(self, given: Given) -> Tensor:
        values, Q = torch.linalg.eigh(given.H)
        theta, eta = torch.zeros_like(given.theta_star), 1 / (float(values[-1]) + given.mu)
        for _ in range(int(40 / (eta * max(float(values[0]) + given.mu, 0.2)))):
            gradient = given.H @ (theta - given.theta_star)
            theta = decayed_step(theta, gradient, eta, given.mu)
        kept: Tensor = (Q.T @ theta) / (Q.T @ given.theta_star)
        return kept
