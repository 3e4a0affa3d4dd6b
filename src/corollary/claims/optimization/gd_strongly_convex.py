r"""Gradient descent on strongly convex functions.

For :math:`\mu`-strongly convex, L-smooth f and :math:`0<\eta\le1/L` the iterates converge to the
only minimiser at a linear rate:

.. math:: \|x_k-x^*\|^2\le(1-\eta\mu)^k\,\|x_0-x^*\|^2,\qquad
   f(x_k)-f(x^*)\le\tfrac L2(1-\eta\mu)^k\,\|x_0-x^*\|^2 .

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 34 and Corollary 35.
:kind: theorem
:cost: instant
:covers: gd-strongly-convex, strong-convexity
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.theory.optimization.convexity import strong_convexity_constant
from corollary.theory.optimization.gradient_descent import Descent, gradient_descent
from corollary.theory.optimization.objectives import Objective, huber, quadratic, ridge_logistic
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum


class Given(NamedTuple):
    """A function, the constants that are claimed for it, a start and a step."""

    objective: Objective
    mu: float
    x0: Float[Tensor, " d"]
    eta: float


class GdStronglyConvex(Claim[Given]):
    problem: Literal["ridge logistic", "quadratic"] = "ridge logistic"  # the function
    n: int = 30  # data points of the logistic loss
    d: int = 3  # dimension
    lam: float = option(0.05, low=1e-3, high=10.0)  # strong convexity
    k: int = 40  # steps
    share: float = option(1.0, low=0.01, high=1.0)  # the step in units of 1/L
    relation = at_most(ulps=2**10, scale=1.0)  # squares of distances of size 1, rounded k times

    def given(self, rng: Generator) -> Given:
        """Ridge logistic regression, or a quadratic of the same curvatures."""
        if self.problem == "quadratic":
            values = torch.linspace(self.lam, 1.0 + self.lam, self.d, dtype=torch.float64)
            objective = quadratic(matrix_with_spectrum(values, rng=rng))
        else:
            x = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
            y = (torch.rand(self.n, generator=rng, dtype=torch.float64) < 0.5).double()
            objective = ridge_logistic(x, y, lam=self.lam)
        x0 = objective.minimiser + 3 * torch.randn(self.d, generator=rng, dtype=torch.float64)
        return Given(objective, objective.mu, x0, self.share / objective.L)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Curvature at the iterates, and the step."""
        found = strong_convexity_constant(given.objective.f, self._run(given).x[::8]).value
        detail = f"smallest curvature seen {found:.3g}, μ = {given.mu:.3g}"
        yield Hypothesis("f is μ-strongly convex", found >= given.mu * (1 - 1e-9), detail)
        short = given.eta <= (1 + 1e-12) / given.objective.L
        yield Hypothesis("the step is at most 1/L", short)

    def predict(self, given: Given) -> list[float]:
        """Both bounds from the first step on."""
        L, D2 = given.objective.L, float((given.x0 - given.objective.minimiser).square().sum())
        rate = [(1 - given.eta * given.mu) ** k * D2 for k in range(1, self.k + 1)]
        return rate + [L / 2 * r for r in rate]

    def measure(self, given: Given) -> list[float]:
        """Squared distances, then gaps."""
        run, o = self._run(given), given.objective
        distance = (run.x[1:] - o.minimiser).square().sum(dim=1)
        return distance.tolist() + (run.f[1:] - o.minimum).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Convex, but straight where it starts."""
        flat = huber(1, delta=0.1)
        return Given(flat, 0.5, torch.tensor([3.0], dtype=torch.float64), 1.0)

    def figure(self, given: Given) -> Figure:
        """Distances on a logarithmic scale."""
        bound, found = self.predict(given), self.measure(given)
        k = range(1, self.k + 1)
        return Figure(
            f"A linear rate: {given.objective.name}, κ = {given.objective.L / given.mu:.3g}",
            x="k",
            y="distance and gap",
            log_y=True,
            marks=(
                Curve(bound[: self.k], k, "(1 − ημ)^k ‖x₀ − x*‖²", "predicted"),
                Curve(found[: self.k], k, "‖x_k − x*‖²"),
                Curve(bound[self.k :], k, "L/2 times that", "predicted", dashed=True),
                Curve(found[self.k :], k, "f(x_k) − f*", dashed=True),
            ),
        )

    def _run(self, given: Given) -> Descent:
        return gradient_descent(given.objective.f, given.x0, given.eta, self.k)
