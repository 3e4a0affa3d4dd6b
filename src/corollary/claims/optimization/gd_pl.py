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
:cost: instant
:covers: gd-pl
:erratum: [wrong] Theorem 40 states the step 1/(2L) with the rate 1 - mu/L, which belongs to the
    step 1/L of its proof: on f = L x^2/2, where mu = L, the step 1/(2L) leaves a quarter of f, and
    the statement says 0. [typo] The proof of Lemma 3.4 in Perez Jensen's notes has gradient and gap
    at theta^T on the right; they belong to theta^{T-1}.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most
from corollary.theory.optimization.gradient_descent import Descent, gradient_descent
from corollary.theory.optimization.objectives import (
    Objective,
    least_squares,
    quadratic,
    sine_valley,
)
from corollary.theory.optimization.polyak_lojasiewicz import pl_constant


class Given(NamedTuple):
    """A function with its constants, a start and a step."""

    objective: Objective
    x0: Float[Tensor, " d"]
    eta: float


class GdPl(Claim[Given]):
    problem: Literal["least squares", "sine valley"] = "least squares"  # the function
    n: int = 8  # equations
    d: int = 12  # unknowns
    k: int = 40  # steps
    relation = at_most(ulps=2**10, scale=1.0)  # k steps of rounding on values of size 1

    def given(self, rng: Generator) -> Given:
        """More unknowns than equations, or a function that is not convex."""
        x0 = torch.randn(self.d, generator=rng, dtype=torch.float64)
        if self.problem == "sine valley":
            objective = sine_valley(self.d)
            return Given(objective, 3 * x0, 1 / objective.L)
        X = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        objective = least_squares(X, torch.randn(self.n, generator=rng, dtype=torch.float64))
        return Given(objective, x0, 1 / objective.L)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The condition at the iterates, and the step."""
        o, _, eta = given
        found = pl_constant(o.f, self._run(given).x, o.minimum).mu
        detail = f"smallest quotient seen {found:.3g}, μ = {o.pl:.3g}"
        yield Hypothesis("½‖∇f‖² is at least μ(f − f*)", found >= o.pl * (1 - 1e-6), detail)
        yield Hypothesis("the step is 1/L", abs(eta * o.L - 1) < 1e-9, f"ηL = {eta * o.L:.3g}")

    def predict(self, given: Given) -> list[float]:
        """The bound from the first step on."""
        o, x0, _ = given
        gap = float(o.f(x0)) - o.minimum
        return [(1 - o.pl / o.L) ** k * gap for k in range(1, self.k + 1)]

    def measure(self, given: Given) -> list[float]:
        """Gaps."""
        return (self._run(given).f[1:] - given.objective.minimum).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The step of the printed theorem, half as long."""
        bowl = quadratic(4 * torch.eye(1, dtype=torch.float64))
        return Given(bowl, torch.ones(1, dtype=torch.float64), 1 / (2 * bowl.L))

    def figure(self, given: Given) -> Figure:
        """Gap and bound on a logarithmic scale."""
        o, (_, eta) = given.objective, given[1:]
        k = range(1, self.k + 1)
        half = gradient_descent(o.f, given.x0, eta / 2, self.k).f[1:] - o.minimum
        return Figure(
            f"A linear rate without strong convexity: {o.name}",
            x="k",
            y="f(x_k) − f*",
            log_y=True,
            marks=(
                Curve(self.predict(given), k, "(1 − μ/L)^k (f(x₀) − f*)", "predicted"),
                Curve([max(v, 1e-16) for v in self.measure(given)], k, "η = 1/L"),
                Curve(half.clamp(min=1e-16), range(1, len(half) + 1), "η = 1/(2L)", "other"),
            ),
        )

    def _run(self, given: Given) -> Descent:
        return gradient_descent(given.objective.f, given.x0, given.eta, self.k)
