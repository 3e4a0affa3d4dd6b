r"""Linear convergence under the PL condition.

If f is L-smooth and :math:`\frac12\|\nabla f\|^2\ge\mu(f-f^*)`, convex or not, then gradient
descent with :math:`\eta=1/L` has

.. math:: f(x_k)-f^*\le\Bigl(1-\frac\mu L\Bigr)^k\bigl(f(x_0)-f^*\bigr) .

For any :math:`\eta\le1/L` the factor is :math:`1-2\mu\eta(1-\frac{\eta L}2)\le1-\mu\eta`. One step
of the descent lemma, then the condition, gives it.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 40; Perez Jensen (2025), Deep
    Learning, Section 3.2, Lemma 3.4; Polyak (1963), "Gradient methods for the minimisation of
    functionals".
:kind: theorem
:uses: descent_lemma
:covers: gd-pl
:erratum: [wrong] Theorem 40 states the step 1/(2L) with the rate 1 - mu/L, which belongs to the
    step 1/L of its proof: on f = L x^2/2, where mu = L, the step 1/(2L) leaves a quarter of f, and
    the statement says 0. [typo] The proof of Lemma 3.4 in Perez Jensen's notes has gradient and gap
    at theta^T on the right; they belong to theta^{T-1}.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, normal
from corollary.theory.optimization.gradient_descent import Descent, gradient_descent
from corollary.theory.optimization.objectives import (
    Objective,
    huber,
    least_squares,
    quadratic,
    sine_valley,
)
from corollary.theory.optimization.polyak_lojasiewicz import pl_constant
from corollary.theory.optimization.rates import gd_pl


class Given(NamedTuple):
    objective: Objective
    mu: float  # what is taken for the PL constant
    x0: Float[Tensor, " d"]
    eta: float  # learning rate


def printed_step() -> Given:
    """With the step of the printed theorem, 1/(2L), a quarter of f is left instead of 0."""
    one = torch.ones(1, dtype=torch.float64)
    return Given(quadratic(4 * one[None]), 4.0, one, 1 / 8)


class GdPl(Claim[Given]):
    problem: Literal["least squares", "sine valley"] = "least squares"  # the function
    n: int = 8  # equations
    d: int = 12  # unknowns
    k: int = 40  # steps

    relation = at_most(ulps=2**10, scale=1.0)  # k steps of rounding on values of size 1
    supposes = (
        Suppose(
            "½‖∇f‖² is at least μ(f − f*)",
            lambda self, g: (
                pl_constant(g.objective.f, self.run(g).x, g.objective.minimum).mu
                - g.mu * (1 - 1e-6)
            ),
            "Far from its minimum a Huber function is linear, so the gap falls by a constant per "
            "step.",
            lambda: Given(
                huber(1, delta=0.1), 0.5, torch.full((1,), 3.0, dtype=torch.float64), 1.0
            ),
        ),
        Suppose(
            "the step is 1/L", lambda g: abs(g.eta * g.objective.L - 1) < 1e-9, without=printed_step
        ),
    )
    symbols = "(1 − μ/L)^k (f(x₀) − f*)", "f(x_k) − f*"
    shows = Along(
        "Linear convergence without strong convexity", x="k", first=1, log="y", without=False
    )

    def given(self, rng: Generator) -> Given:
        if self.problem == "sine valley":
            o = sine_valley(self.d)
        else:  # more unknowns than equations
            o = least_squares(normal(rng, self.n, self.d), normal(rng, self.n))
        return Given(o, o.pl, 2 * normal(rng, self.d), 1 / o.L)

    def predict(self, given: Given) -> list[float]:
        o, mu, x0, _ = given
        gap = float(o.f(x0)) - o.minimum
        return [gd_pl(mu, o.L, 1 / o.L, k) * gap for k in range(1, self.k + 1)]

    def measure(self, given: Given) -> list[float]:
        return (self.run(given).f[1:] - given.objective.minimum).tolist()

    def run(self, given: Given) -> Descent:
        return gradient_descent(given.objective.f, given.x0, given.eta, self.k)

    def tight(self) -> Given:
        """Along the flattest direction one step leaves (1 − μ/L)²; μ is small against L."""
        values = torch.tensor([0.01, 1.0], dtype=torch.float64)
        return Given(quadratic(values.diag()), 0.01, torch.eye(2, dtype=torch.float64)[0], 1.0)
