r"""Gradient and Newton steps minimise a quadratic model.

With a symmetric positive definite B the model

.. math:: q(\Delta)=f(x)+\nabla f(x)^\top\Delta+\tfrac12\Delta^\top B\Delta

has its minimum at :math:`\Delta^\star=-B^{-1}\nabla f(x)`. For :math:`B=H(x)` that is Newton's
step, for :math:`B=\frac1\eta I` the step :math:`-\eta\nabla f(x)` of gradient descent. If B has a
negative eigenvalue, :math:`\Delta^\star` is stationary only and q is unbounded below.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.3 and Figure 5.3.
:kind: theorem
:uses: second_order_remainder
:covers: newton-quadratic-model, gd-as-quadratic-model
:erratum: [missing hypothesis] Section 5.3 calls -H^{-1} grad the minimizer of the model without a
    condition; that needs H positive definite. For f = -x^2 at x = 1 it is the model's maximum, 0,
    and a step of twice the length reaches -1. [typo] The text takes the Hessian to be I and then
    writes ||dx||^2/(2 eta), the model with Hessian I/eta.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import Function, logistic
from corollary.core import Along, Claim, Suppose, at_least, normal
from corollary.theory.optimization.newton import model_step, model_value
from corollary.theory.prerequisites.gradients import gradient
from corollary.theory.prerequisites.hessians import hessian


class Given(NamedTuple):
    f: Function
    x: Float[Tensor, " d"]
    B: Float[Tensor, "d d"]  # matrix of the model
    away: Float[Tensor, "n d"]  # other steps, as differences to the stationary one

    @property
    def distance(self) -> Float[Tensor, " n"]:
        return self.away.square().sum(dim=1).sqrt()


def hilltop() -> Given:
    """At the top of -x² the step is the maximum of the model."""
    one = torch.ones(1, dtype=torch.float64)
    return Given(lambda x: -x.square().sum(), one, -2 * one[None], -one[None])


class QuadraticModel(Claim[Given]):
    model: Literal["Hessian", "isotropic", "diagonal"] = "Hessian"  # kind of matrix B
    d: int = 4  # dimension
    n: int = 200  # other steps, from near to far

    relation = at_least(ulps=64, scale=1.0)  # values of size 1 are compared at nearby steps
    supposes = Suppose(
        "B is positive definite", lambda g: torch.linalg.eigvalsh(g.B)[0], without=hilltop
    )
    symbols = "f(x) − ½∇fᵀB⁻¹∇f", "model at other steps"
    shows = Along(
        "The model is lowest at Δ* = −B⁻¹∇f",
        x="distance of the step to Δ*",
        y="q",
        at="distance",
        log="xy",
        without=False,
    )

    def given(self, rng: Generator) -> Given:
        objective, x = logistic(3 * self.d, self.d, 0.1, rng), normal(rng, self.d)
        H = hessian(objective.f, x)
        B = {
            "Hessian": (H + H.T) / 2,
            "isotropic": objective.L * torch.eye(self.d, dtype=torch.float64),
            "diagonal": H.diagonal().diag(),
        }[self.model]
        sizes = torch.logspace(-4, 1, self.n, dtype=torch.float64)
        return Given(objective.f, x, B, sizes[:, None] * normal(rng, self.n, self.d))

    def predict(self, given: Given) -> float:
        f, x, B, _ = given
        g = gradient(f, x)
        return float(f(x) - 0.5 * g @ torch.linalg.solve(B, g))

    def measure(self, given: Given) -> list[float]:
        f, x, B, away = given
        g = gradient(f, x)
        return model_value(float(f(x)), g, B, model_step(g, B) + away).tolist()
