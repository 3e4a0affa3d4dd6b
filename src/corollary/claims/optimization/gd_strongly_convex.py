r"""Gradient descent on strongly convex functions.

For :math:`\mu`-strongly convex, L-smooth f and :math:`0<\eta\le1/L` the iterates converge to the
only minimiser at a linear rate:

.. math:: \|x_k-x^*\|^2\le(1-\eta\mu)^k\,\|x_0-x^*\|^2,\qquad
   f(x_k)-f(x^*)\le\tfrac L2(1-\eta\mu)^k\,\|x_0-x^*\|^2 .

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 34 and Corollary 35.
:kind: theorem
:uses: strong_convexity, smooth_suboptimality, minimum_quadratic_bound
:covers: gd-strongly-convex
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import logistic
from corollary.core import Along, Claim, Suppose, at_most, normal, option
from corollary.theory.optimization.convexity import strong_convexity_constant
from corollary.theory.optimization.gradient_descent import Descent, gradient_descent
from corollary.theory.optimization.objectives import Objective, huber, quadratic
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum
from corollary.theory.optimization.rates import gd_strongly_convex


class Given(NamedTuple):
    objective: Objective
    mu: float  # what is taken for the strong convexity
    x0: Float[Tensor, " d"]
    eta: float  # learning rate


class GdStronglyConvex(Claim[Given]):
    problem: Literal["ridge logistic", "quadratic"] = "ridge logistic"  # the function
    n: int = 30  # data points of the logistic loss
    d: int = 3  # dimension
    lam: float = option(0.05, low=1e-3, high=10.0)  # strong convexity
    k: int = 40  # steps
    share: float = option(1.0, low=0.01, high=1.0)  # the step in units of 1/L

    relation = at_most(ulps=2**10, scale=1.0)  # squares of distances of size 1, rounded k times
    supposes = (
        Suppose(
            "f is μ-strongly convex",
            lambda self, g: (
                strong_convexity_constant(g.objective.f, self.run(g).x[::8]).value
                - g.mu * (1 - 1e-9)
            ),
            "A Huber function is convex, but it is linear where descent starts.",
            lambda: Given(
                huber(1, delta=0.1), 0.5, torch.full((1,), 3.0, dtype=torch.float64), 1.0
            ),
        ),
        Suppose("the step is at most 1/L", lambda g: (1 + 1e-12) / g.objective.L - g.eta),
    )
    symbols = "bound", "gradient descent"
    shows = Along(
        "Linear convergence of gradient descent",
        x="k",
        y="distance and gap",
        first=1,
        parts=("‖x_k − x*‖²", "f(x_k) − f*"),
        log="y",
        without=False,
    )

    def given(self, rng: Generator) -> Given:
        o = logistic(self.n, self.d, self.lam, rng)
        if self.problem == "quadratic":
            values = torch.linspace(self.lam, 1.0 + self.lam, self.d, dtype=torch.float64)
            o = quadratic(matrix_with_spectrum(values, rng=rng))
        return Given(o, o.mu, o.minimiser + 3 * normal(rng, self.d), self.share / o.L)

    def predict(self, given: Given) -> list[float]:
        o, mu, x0, eta = given
        D0 = float((x0 - o.minimiser).norm())
        bounds = [gd_strongly_convex(mu, o.L, eta, k, D0) for k in range(1, self.k + 1)]
        return [b.distance2 for b in bounds] + [b.gap for b in bounds]

    def measure(self, given: Given) -> list[float]:
        run, o = self.run(given), given.objective
        distance = (run.x[1:] - o.minimiser).square().sum(dim=1)
        return distance.tolist() + (run.f[1:] - o.minimum).tolist()

    def run(self, given: Given) -> Descent:
        return gradient_descent(given.objective.f, given.x0, given.eta, self.k)
