r"""Gradient descent on convex functions.

For convex, L-smooth f and :math:`0<\eta\le1/L`, for all :math:`k\ge1`

.. math:: f(x_k)-f(x^*)\le\frac{\|x_0-x^*\|^2}{2\eta k} .

The order cannot be improved: a Huber function whose straight part ends where K steps of size 1/L
from distance D lead has :math:`f(x_K)-f^*=LD^2/(4K+2)`, about half of the bound.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 37; Drori and Teboulle (2014),
    "Performance of first-order methods for smooth convex minimization", for the worst case.
:kind: theorem
:uses: descent_lemma, tangent_below
:covers: gd-convex
:loose: The worst smooth convex function (Drori and Teboulle) is the Huber function used here, and
    it attains k/(2k + 1) of the bound.
"""

import math
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import logistic
from corollary.core import Along, Claim, Suppose, at_most, normal, option
from corollary.theory.optimization.convexity import strong_convexity_constant
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.objectives import Objective, huber, log_sum_exp, quadratic
from corollary.theory.optimization.rates import gd_convex


class Given(NamedTuple):
    objective: Objective
    x0: Float[Tensor, " d"]
    eta: float  # learning rate


def smallest_curvature(given: Given) -> float:
    """On the way to the minimiser."""
    o, way = given.objective, torch.linspace(0.01, 0.99, 13, dtype=torch.float64)[:, None]
    points = o.minimiser + way * (given.x0 - o.minimiser)
    return strong_convexity_constant(o.f, points).value + 1e-12


def hilltop() -> Given:
    """Descent starts on a hill, where the gradient is nearly zero."""
    zero = torch.zeros(1, dtype=torch.float64)
    cosine = Objective("cosine", lambda x: (1 - x.cos()).sum(), 1.0, 0.0, 0.0, zero, 0.0)
    return Given(cosine, zero + math.pi, 1.0)


def overshooting() -> Given:
    """Steps of 3/L on a parabola diverge."""
    one = torch.ones(1, dtype=torch.float64)
    return Given(quadratic(one[None]), one, 3.0)


class GdConvex(Claim[Given]):
    problem: Literal["Huber", "log-sum-exp", "logistic"] = "Huber"  # the function
    d: int = 1  # dimension
    k: int = option(50, low=3)  # steps
    share: float = option(1.0, low=0.01, high=1.0)  # the step in units of 1/L

    relation = at_most(ulps=2**8)  # k steps of rounding
    supposes = (
        Suppose("f is convex", smallest_curvature, without=hilltop),
        Suppose(
            "the step is at most 1/L",
            lambda g: (1 + 1e-12) / g.objective.L - g.eta,
            without=overshooting,
        ),
    )
    symbols = "‖x₀ − x*‖²/(2ηk)", "f(x_k) − f*"
    shows = Along(
        "Sublinear convergence of gradient descent", x="k", first=1, log="xy", without=False
    )

    def given(self, rng: Generator) -> Given:
        x0 = normal(rng, self.d)
        if self.problem == "Huber":  # straight up to where k steps lead
            o = huber(self.d, delta=3 / (2 * self.k + 1) / self.d**0.5)
        elif self.problem == "logistic":
            o = logistic(3 * self.d + 3, self.d, 1e-3, rng)
        else:
            o = log_sum_exp(normal(rng, 3 * self.d + 3, self.d))
        return Given(o, o.minimiser + 3 * x0 / x0.norm(), self.share / o.L)

    def predict(self, given: Given) -> list[float]:
        D0 = float((given.x0 - given.objective.minimiser).norm())
        return [gd_convex(given.eta, k, D0) for k in range(1, self.k + 1)]

    def measure(self, given: Given) -> list[float]:
        o, x0, eta = given
        return (gradient_descent(o.f, x0, eta, self.k).f[1:] - o.minimum).tolist()
