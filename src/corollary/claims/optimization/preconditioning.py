r"""A preconditioner makes level sets round.

In the variable z with :math:`x=Pz` the quadratic :math:`\frac12x^\top Qx-q^\top x` has Hessian
:math:`PQP`. With :math:`P=Q^{-1/2}`

.. math:: \kappa(PQP)=1,

and gradient descent with :math:`\eta=1` arrives in one step. A diagonal P removes bad scales of the
coordinates, but not a rotation.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.4 and Figure 5.5.
:kind: experiment
:cost: instant
:covers: preconditioner
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, HeatMap, Hypothesis, equals, option
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.grids import values_on_grid
from corollary.theory.optimization.quadratic_descent import (
    diagonal_scaling,
    matrix_with_spectrum,
    precondition,
    whitening,
)


class Given(NamedTuple):
    """A quadratic, a preconditioner and a start."""

    Q: Float[Tensor, "d d"]
    q: Float[Tensor, " d"]
    P: Float[Tensor, "d d"]
    z0: Float[Tensor, " d"]  # in the new variable


class Preconditioning(Claim[Given]):
    d: int = option(5, low=2)  # dimension
    kappa: float = option(30.0, low=1.1, high=1e4)  # condition number of Q
    relation = equals(ulps=2**15, scale=1.0)  # P is computed to rounding times κ

    def given(self, rng: Generator) -> Given:
        """A rotated quadratic with its inverse square root."""
        values = torch.logspace(0, 1, self.d, base=self.kappa, dtype=torch.float64)
        Q = matrix_with_spectrum(values, rng=rng)
        q, z0 = torch.randn(2, self.d, generator=rng, dtype=torch.float64)
        return Given(Q, q, whitening(Q), z0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The preconditioner."""
        eye = torch.eye(len(given.Q), dtype=given.Q.dtype)
        off = float((given.P @ given.Q @ given.P - eye).abs().max())
        yield Hypothesis("P is the inverse square root of Q", off < 1e-9, f"PQP − I is {off:.2g}")

    def predict(self, given: Given) -> list[float]:
        """A round bowl, and arrival."""
        return [1.0, 0.0]

    def measure(self, given: Given) -> list[float]:
        """Condition number; distance to the minimiser after one step of size 1."""
        Q, q, P, z0 = given
        g = precondition(lambda x: 0.5 * x @ Q @ x - q @ x, P)
        x = P @ gradient_descent(g, z0, 1.0, 1).x[-1]
        return [float(torch.linalg.cond(P @ Q @ P)), float((x - torch.linalg.solve(Q, q)).norm())]

    def counterexample(self, rng: Generator) -> Given:
        """A diagonal preconditioner on a rotated quadratic."""
        given = self.given(rng)
        return given._replace(P=diagonal_scaling(given.Q))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Before and after, in the plane."""
        turn = torch.tensor([[0.8, -0.6], [0.6, 0.8]], dtype=torch.float64)
        Q = turn @ torch.diag(torch.tensor([1.0, self.kappa], dtype=torch.float64)) @ turn.T
        Q = (Q + Q.T) / 2
        P, x0 = whitening(Q), turn @ torch.tensor([1.5, 0.6], dtype=torch.float64)

        def f(x: Tensor) -> Tensor:
            return 0.5 * x @ Q @ x

        before = _portrait(f"Before: κ = {self.kappa:g}", f, x0, 1.8 / self.kappa, "x")
        after = precondition(f, P)
        z0 = torch.linalg.solve(P, x0)
        return before, _portrait("After: κ = 1", after, z0, 1.0, "z")


def _portrait(title: str, f, x0: Tensor, eta: float, name: str) -> Figure:
    side = 1.3 * float(x0.abs().max())
    path = gradient_descent(f, x0, eta, 30).x
    square = (-side, side)
    ground = HeatMap(values_on_grid(f, square, square).sqrt(), square, square, label="√f")
    steps = Curve(path[:, 1], path[:, 0], label=f"descent, η = {eta:.2g}")
    return Figure(title, x=f"{name}₁", y=f"{name}₂", equal=True, marks=(ground, steps))
