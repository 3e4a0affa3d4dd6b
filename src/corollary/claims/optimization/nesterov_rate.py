r"""Nesterov's accelerated rate.

For an L-smooth, :math:`\mu`-strongly convex h with :math:`\kappa=L/\mu`, the method
:math:`\chi^{t+1}=\theta^t+\beta(\theta^t-\theta^{t-1})`,
:math:`\theta^{t+1}=\chi^{t+1}-\eta\nabla h(\chi^{t+1})` with :math:`\eta=1/L` and
:math:`\beta=\frac{\sqrt\kappa-1}{\sqrt\kappa+1}` has

.. math:: h(\theta^t)-h^*\le\Bigl(1-\frac1{\sqrt\kappa}\Bigr)^t
   \Bigl(h(\theta^0)-h^*+\frac\mu2\|\theta^0-\theta^*\|^2\Bigr) .

:source: Perez Jensen (2025), Deep Learning, Section 3.3; Nesterov (2004), "Introductory lectures on
    convex optimization", Theorem 2.2.3.
:kind: theorem
:uses: descent_lemma, tangent_below
:covers: nesterov-acceleration
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, normal, option
from corollary.theory.optimization.methods.method import trajectory
from corollary.theory.optimization.methods.nesterov import (
    Nesterov,
    accelerated_rate,
    nesterov_momentum,
)


class Given(NamedTuple):
    curvatures: Float[Tensor, " d"]  # of a quadratic
    L: float  # what is taken for its smoothness
    mu: float  # what is taken for its strong convexity
    x0: Float[Tensor, " d"]
    beta: float  # momentum


def bowl(given: Given, curvature: float) -> Given:
    """The same curvature in all directions."""
    values = torch.full_like(given.curvatures, curvature)
    return given._replace(curvatures=values, x0=torch.ones_like(values))


class NesterovRate(Claim[Given]):
    kappa: float = option(100.0, low=1.5, high=1e6)  # condition number
    d: int = option(20, low=2)  # dimension
    steps: int = option(40, low=1, high=10_000)  # steps

    relation = at_most(ulps=2**10)  # forty steps of rounding
    supposes = (
        Suppose(
            "h is L-smooth",
            lambda g: g.L * (1 + 1e-9) - g.curvatures.max(),
            "The largest curvature is four times as large as stated, and the method diverges.",
            lambda g: bowl(g, 4 * g.L),
        ),
        Suppose(
            "h is μ-strongly convex",
            lambda g: g.curvatures.min() - g.mu * (1 - 1e-9),
            "The smallest curvature is twenty times smaller than stated.",
            lambda g: bowl(g, g.mu / 20),
        ),
        Suppose(
            "the momentum is (√κ − 1)/(√κ + 1)",
            lambda g: abs(g.beta - nesterov_momentum(g.L / g.mu)) < 1e-9,
            "Without momentum, the method is gradient descent.",
            beta=0.0,
        ),
    )
    symbols = "(1 − 1/√κ)ᵗ (h(θ⁰) − h* + μ‖θ⁰ − θ*‖²/2)", "h(θᵗ) − h*"
    shows = Along("Nesterov's acceleration", x="t", log="y")

    def given(self, rng: Generator) -> Given:
        values = torch.logspace(0, 1, self.d, base=self.kappa, dtype=torch.float64)
        beta, L = nesterov_momentum(float(self.kappa)), float(self.kappa)
        return Given(values, L, 1.0, normal(rng, self.d) / values.sqrt(), beta)

    def predict(self, given: Given) -> list[float]:
        start = float((0.5 * (given.curvatures + given.mu) * given.x0.square()).sum())
        return [accelerated_rate(given.L / given.mu, t) * start for t in range(self.steps + 1)]

    def measure(self, given: Given) -> list[float]:
        method = Nesterov(1 / given.L, given.beta)
        path = trajectory(method, lambda x: given.curvatures * x, given.x0, self.steps)
        return (0.5 * given.curvatures * path.square()).sum(dim=-1).tolist()
