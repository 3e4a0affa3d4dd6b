r"""Preconditioning: P = Q^(-1/2) makes the condition number 1.

In the variable z with :math:`x=Pz` the quadratic :math:`\frac12x^\top Qx-q^\top x` has Hessian
:math:`PQP`. With :math:`P=Q^{-1/2}`

.. math:: \kappa(PQP)=1,

and gradient descent with :math:`\eta=1` arrives in one step. A diagonal P removes bad scales of the
coordinates, but not a rotation.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.4 and Figure 5.5.
:kind: identity
:uses: gd_optimal_step
:covers: preconditioner
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import portrait
from corollary.core import Claim, Marks, Suppose, Trial, equals, near, normal, option, picture
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.objectives import quadratic
from corollary.theory.optimization.quadratic_descent import (
    diagonal_scaling,
    matrix_with_spectrum,
    precondition,
    whitening,
)


class Given(NamedTuple):
    Q: Float[Tensor, "d d"]  # Hessian for P = Q^(-1/2)
    D: Float[Tensor, "d d"]  # Hessian for the diagonal P
    q: Float[Tensor, " d"]
    z0: Float[Tensor, " d"]  # start, in the new variable


class Preconditioning(Claim[Given]):
    d: int = option(5, low=2)  # dimension
    kappa: float = option(30.0, low=1.1, high=1e4)  # condition number of the Hessians

    relation = equals(ulps=2**15, scale=1.0)  # P is computed to rounding times κ
    supposes = Suppose(
        "the Hessian is diagonal where a diagonal P is used",
        lambda g: near(g.D, g.D.diagonal().diag()),
        "A diagonal P does not undo a rotation.",
        D=lambda g: g.Q,
    )
    symbols = "κ = 1, distance 0", "preconditioned"
    predicts = [1.0, 0.0] * 2
    rows = (
        *("κ, P = Q^(-1/2)", "distance after one step, P = Q^(-1/2)"),
        *("κ, P diagonal", "distance after one step, P diagonal"),
    )

    def given(self, rng: Generator) -> Given:
        values = torch.logspace(0, 1, self.d, base=self.kappa, dtype=torch.float64)
        Q = matrix_with_spectrum(values, rng=rng)
        return Given(Q, values.diag(), normal(rng, self.d), normal(rng, self.d))

    def measure(self, given: Given) -> list[float]:
        found = []
        for H, P in ((given.Q, whitening(given.Q)), (given.D, diagonal_scaling(given.D))):
            f = quadratic(H, given.q).f
            x = P @ gradient_descent(precondition(f, P), given.z0, 1.0, 1).x[-1]
            away = x - torch.linalg.solve(H, given.q)
            found += [float(torch.linalg.cond(P @ H @ P)), float(away.norm())]
        return found

    @picture("Before: κ = {kappa:g}", x="x₁", y="x₂", equal=True)
    def before(self, trial: Trial[Given]) -> Marks:
        Q, x0 = self.valley
        eta = 1.8 / self.kappa
        path = gradient_descent(quadratic(Q).f, x0, eta, 30).x
        yield from portrait(quadratic(Q).f, (path, f"gradient descent, η = {eta:.2g}"))

    @picture("After: κ = 1", x="x₁", y="x₂", equal=True)
    def after(self, trial: Trial[Given]) -> Marks:
        Q, x0 = self.valley
        f, z0 = precondition(quadratic(Q).f, whitening(Q)), torch.linalg.solve(whitening(Q), x0)
        yield from portrait(f, (gradient_descent(f, z0, 1.0, 30).x, "η = 1"))

    @property
    def valley(self) -> tuple[Tensor, Tensor]:
        """A Hessian in the plane, across the axes, and a start."""
        turn = torch.tensor([[0.8, -0.6], [0.6, 0.8]], dtype=torch.float64)
        Q = turn @ torch.tensor([1.0, self.kappa], dtype=torch.float64).diag() @ turn.T
        return (Q + Q.T) / 2, turn @ torch.tensor([1.5, 0.6], dtype=torch.float64)
