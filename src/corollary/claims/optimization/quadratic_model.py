r"""Gradient and Newton steps minimise a quadratic model.

With a symmetric positive definite B the model

.. math:: q(\Delta)=f(x)+\nabla f(x)^\top\Delta+\tfrac12\Delta^\top B\Delta

has its minimum at :math:`\Delta^\star=-B^{-1}\nabla f(x)`. For :math:`B=H(x)` that is Newton's
step, for :math:`B=\frac1\eta I` the step :math:`-\eta\nabla f(x)` of gradient descent. If B has a
negative eigenvalue, :math:`\Delta^\star` is stationary only and q is unbounded below.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.3 and Figure 5.3.
:kind: theorem
:cost: instant
:covers: newton-quadratic-model, gd-as-quadratic-model
:erratum: [missing hypothesis] Section 5.3 calls -H^{-1} grad the minimizer of the model without a
    condition; that needs H positive definite. For f = -x^2 at x = 1 it is the model's maximum, 0,
    and a step of twice the length reaches -1. [typo] The text takes the Hessian to be I and then
    writes ||dx||^2/(2 eta), the model with Hessian I/eta.
"""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_least
from corollary.theory.optimization.newton import model_step, model_value
from corollary.theory.optimization.objectives import ridge_logistic
from corollary.theory.prerequisites.gradients import gradient
from corollary.theory.prerequisites.hessians import hessian


class Given(NamedTuple):
    """A function, a point, the model's matrix and steps to compare with."""

    f: Callable[[Tensor], Tensor]
    x: Float[Tensor, " d"]
    B: Float[Tensor, "d d"]
    away: Float[Tensor, "n d"]  # other steps, as differences to the stationary one


class QuadraticModel(Claim[Given]):
    model: Literal["Hessian", "isotropic", "diagonal"] = "Hessian"  # which matrix B is
    d: int = 4  # dimension
    n: int = 200  # other steps, from near to far
    relation = at_least(ulps=64, scale=1.0)  # values of size 1 are compared at nearby steps

    def given(self, rng: Generator) -> Given:
        """Ridge logistic regression at a random point."""
        data = torch.randn(3 * self.d, self.d, generator=rng, dtype=torch.float64)
        y = (torch.rand(len(data), generator=rng, dtype=torch.float64) < 0.5).double()
        objective = ridge_logistic(data, y, lam=0.1)
        x = torch.randn(self.d, generator=rng, dtype=torch.float64)
        H = hessian(objective.f, x)
        B = {
            "Hessian": (H + H.T) / 2,
            "isotropic": objective.L * torch.eye(self.d, dtype=torch.float64),
            "diagonal": torch.diag(H.diagonal()),
        }[self.model]
        away = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        sizes = torch.logspace(-4, 1, self.n, dtype=torch.float64)
        return Given(objective.f, x, B, sizes[:, None] * away)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The matrix."""
        low = float(torch.linalg.eigvalsh(given.B)[0])
        yield Hypothesis("B is positive definite", low > 0, f"smallest eigenvalue {low:.3g}")

    def predict(self, given: Given) -> float:
        """The model's value at its stationary step."""
        f, x, B, _ = given
        g = gradient(f, x)
        return float(f(x) - 0.5 * g @ torch.linalg.solve(B, g))

    def measure(self, given: Given) -> list[float]:
        """The model's values at the other steps."""
        f, x, B, away = given
        g = gradient(f, x)
        return model_value(float(f(x)), g, B, model_step(g, B) + away).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The top of -x^2."""
        one = torch.ones(1, dtype=torch.float64)
        return Given(lambda x: -(x**2).sum(), one, -2 * one[None], torch.tensor([[-1.0]]).to(one))

    def figure(self, given: Given) -> Figure:
        """The function and its model along the step."""
        f, x, B, _ = given
        g = gradient(f, x)
        step = model_step(g, B)
        t = torch.linspace(-0.5, 2.5, 121, dtype=torch.float64)
        q = model_value(float(f(x)), g, B, t[:, None] * step)
        return Figure(
            f"The quadratic model, B {self.model}",
            x="t",
            y="value at x + tΔ*",
            marks=(
                Curve(q, t, "model q", "predicted"),
                Curve(torch.vmap(f)(x + t[:, None] * step), t, "f"),
                Points([1.0], [self.predict(given)], label="Δ* = −B⁻¹∇f", role="predicted"),
                Points([0.0], [float(f(x))], label="x", role="other"),
            ),
        )
