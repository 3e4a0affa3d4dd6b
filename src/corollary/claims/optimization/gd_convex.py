r"""Gradient descent on convex functions.

For convex, L-smooth f and :math:`0<\eta\le1/L`, for all :math:`k\ge1`

.. math:: f(x_k)-f(x^*)\le\frac{\|x_0-x^*\|^2}{2\eta k} .

The order cannot be improved: a Huber function whose straight part ends where K steps of size 1/L
from distance D lead has :math:`f(x_K)-f^*=LD^2/(4K+2)`, about half of the bound.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 37; Drori and Teboulle (2014),
    "Performance of first-order methods for smooth convex minimization", for the worst case.
:kind: theorem
:cost: instant
:covers: gd-convex
"""

import math
from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.theory.optimization.convexity import strong_convexity_constant
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.objectives import Objective, huber, log_sum_exp, ridge_logistic


class Given(NamedTuple):
    """A function, a start and a step."""

    objective: Objective
    x0: Float[Tensor, " d"]
    eta: float


class GdConvex(Claim[Given]):
    problem: Literal["Huber", "log-sum-exp", "logistic"] = "Huber"  # the function
    d: int = 1  # dimension
    k: int = option(50, low=3)  # steps
    share: float = option(1.0, low=0.01, high=1.0)  # the step in units of 1/L
    relation = at_most(ulps=2**8)  # k steps of rounding

    def given(self, rng: Generator) -> Given:
        """The worst Huber function, or a convex function of data."""
        x0 = torch.randn(self.d, generator=rng, dtype=torch.float64)
        x0 = 3 * x0 / x0.norm()
        if self.problem == "Huber":
            objective = huber(self.d, delta=3 / (2 * self.k + 1) / self.d**0.5)
        else:
            A = torch.randn(3 * self.d + 3, self.d, generator=rng, dtype=torch.float64)
            y = (torch.rand(len(A), generator=rng, dtype=torch.float64) < 0.5).double()
            logistic = self.problem == "logistic"
            objective = ridge_logistic(A, y, lam=1e-3) if logistic else log_sum_exp(A)
        return Given(objective, objective.minimiser + x0, self.share / objective.L)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Curvature on the way to the minimiser, and the step."""
        o, x0, eta = given
        way = torch.linspace(0.01, 0.99, 13, dtype=torch.float64)[:, None]
        low = strong_convexity_constant(o.f, o.minimiser + way * (x0 - o.minimiser)).value
        yield Hypothesis("f is convex", low >= -1e-12, f"smallest curvature seen {low:.3g}")
        yield Hypothesis("the step is at most 1/L", eta <= (1 + 1e-12) / o.L)

    def predict(self, given: Given) -> list[float]:
        """The bound from the first step on."""
        D2 = float((given.x0 - given.objective.minimiser).square().sum())
        return [D2 / (2 * given.eta * k) for k in range(1, self.k + 1)]

    def measure(self, given: Given) -> list[float]:
        """Gaps."""
        o, x0, eta = given
        run = gradient_descent(o.f, x0, eta, self.k)
        return (run.f[1:] - o.minimum).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Started on a hill, where the gradient is as short as at a minimum."""

        def f(x: Tensor) -> Tensor:
            return (1 - torch.cos(x)).sum()

        zero = torch.zeros(1, dtype=torch.float64)
        return Given(Objective("cosine", f, 1.0, 0.0, 0.0, zero, 0.0), zero + math.pi, 1.0)

    def figure(self, given: Given) -> Figure:
        """Gap and bound on logarithmic scales."""
        k = range(1, self.k + 1)
        bound = self.predict(given)
        half = [b * n / (2 * n + 1) for b, n in zip(bound, k, strict=True)]
        found = [max(gap, 1e-16) for gap in self.measure(given)]
        return Figure(
            f"A sublinear rate: {given.objective.name}",
            x="k",
            y="f(x_k) − f*",
            log_x=True,
            log_y=True,
            marks=(
                Curve(bound, k, "‖x₀ − x*‖²/(2ηk)", "predicted"),
                Curve(half, k, "‖x₀ − x*‖²/(η(4k + 2))", "other", dashed=True),
                Curve(found, k, "gradient descent"),
            ),
        )
