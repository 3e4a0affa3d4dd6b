r"""Gradient descent on a quadratic.

For :math:`f(x)=\frac12x^\top Qx-q^\top x` with :math:`Q\succ0`, write :math:`z_i` for the
coordinate of x along the eigenvector of :math:`\lambda_i`. Then f is a sum of
:math:`g_i(z_i)=\frac{\lambda_i}2z_i^2-q_iz_i`, and k steps of descent act on each by itself:

.. math:: g_i(z_i^k)-g_i^*=(1-\eta\lambda_i)^{2k}\,\bigl(g_i(z_i^0)-g_i^*\bigr),\qquad
   g_i(z)-g_i^*=\frac{(\lambda_iz-q_i)^2}{2\lambda_i} .

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.4.
:kind: identity
:uses: orthogonal_inverse
:covers: gd-quadratic-rate, gradient-descent
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import Function
from corollary.core import Along, Claim, Suppose, equals, near, normal, option
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum, quadratic_rate
from corollary.theory.prerequisites.hessians import hessian


class Given(NamedTuple):
    f: Function
    Q: Float[Tensor, "d d"]  # what is taken for its Hessian
    q: Float[Tensor, " d"]
    x0: Float[Tensor, " d"]
    eta: float  # learning rate

    @property
    def eigenvalues(self) -> Tensor:
        values: Tensor = torch.linalg.eigvalsh(self.Q)
        return values

    def gaps(self, x: Tensor) -> Tensor:
        """Above the minimum, along each eigenvector."""
        values, V = torch.linalg.eigh(self.Q)
        return torch.square(values * (V.T @ x) - V.T @ self.q).div(2 * values)


class GdQuadratic(Claim[Given]):
    d: int = 5  # dimension
    k: int = 6  # steps
    kappa: float = option(10.0, low=1.0, high=1e4)  # condition number of Q
    share: float = option(1.5, low=0.01, high=3.0)  # the step in units of 1/λmax

    relation = equals(ulps=2**12, scale=1.0)  # k steps of rounding on coordinates of size 1
    supposes = (
        Suppose(
            "f is quadratic with Hessian Q",
            lambda g: near(hessian(g.f, 2 * g.x0 + 1) + hessian(g.f, g.x0), 2 * g.Q),
            "A quartic term mixes the directions.",
            f=lambda g: lambda x: g.f(x) + (x**4).sum() / 20,
            eta=lambda g: g.eta / 4,
        ),
        Suppose("Q is positive definite", lambda g: g.eigenvalues[0]),
    )
    symbols = "(1 − ηλ)²ᵏ times the first gap", "gap after k steps"
    rows = "λ = {eigenvalues}"
    shows = Along(
        "Each eigendirection has its own rate", x="λ", y="g(z^k) − g*", at="eigenvalues", log="xy"
    )

    def given(self, rng: Generator) -> Given:
        values = torch.logspace(0, 1, self.d, base=self.kappa, dtype=torch.float64)
        Q, q, x0 = matrix_with_spectrum(values, rng=rng), normal(rng, self.d), normal(rng, self.d)
        return Given(lambda x: 0.5 * x @ Q @ x - q @ x, Q, q, x0, self.share / self.kappa)

    def predict(self, given: Given) -> list[float]:
        factors = quadratic_rate(given.Q, given.eta).factors
        return (factors**self.k * given.gaps(given.x0)).tolist()

    def measure(self, given: Given) -> list[float]:
        return given.gaps(gradient_descent(given.f, given.x0, given.eta, self.k).x[-1]).tolist()
