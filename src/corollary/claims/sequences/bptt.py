r"""Backpropagation through time.

For :math:`z_t=\varphi(Uz_{t-1}+Vx_t)`, :math:`\hat y_t=Wz_t` and
:math:`L=\sum_t\tfrac12\|\hat y_t-y_t\|^2`,

.. math:: \frac{\partial L}{\partial U}=\sum_t\dot\Phi_t\frac{\partial L}{\partial z_t}
   z_{t-1}^\top,\qquad\frac{\partial L}{\partial z_t}=\sum_{i\ge t}\bigl(\dot\Phi_iU\cdots
   \dot\Phi_{t+1}U\bigr)^{\!\top}W^\top(\hat y_i-y_i),\qquad
   \dot\Phi_j=\operatorname{diag}\varphi'(Uz_{j-1}+Vx_j).

The product runs from the largest index on the left to the smallest on the right. With the factors
the other way round the formula is wrong.

:source: Perez Jensen (2025), Deep Learning, Chapter 5; Werbos (1990), "Backpropagation through
    time: what it does and how to do it".
:kind: identity
:cost: instant
:covers: bptt-gradients
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.networks.activations import HYPERBOLIC
from corollary.theory.sequences.bptt import elman_run
from corollary.theory.sequences.state_jacobians import Order, state_jacobians, step_jacobians


class Given(NamedTuple):
    """Weights, a sequence, its targets, and the order of the factors."""

    U: Float[Tensor, "m m"]
    V: Float[Tensor, "m n"]
    W: Float[Tensor, "q m"]
    x: Float[Tensor, "T n"]
    y: Float[Tensor, "T q"]
    order: Order


@dataclass(frozen=True)
class Bptt(Claim[Given]):
    """Products of Jacobians against autograd, for every state and every entry of U."""

    T: int = option(8, low=3, high=100)  # length of the sequence
    m: int = option(4, low=2, high=50)  # units
    n: int = option(2, low=1, high=50)  # inputs
    relation = equals(ulps=2**16, scale=1.0)  # sums of T² products of up to T matrices

    def given(self, rng: Generator) -> Given:
        """Normal weights with singular values around 1."""

        def draw(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, dtype=torch.float64)

        m, n, T = self.m, self.n, self.T
        U = 1.2 * draw(m, m) / m**0.5
        return Given(U, draw(m, n), draw(2, m), draw(T, n), draw(T, 2), "time")

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The order."""
        yield Hypothesis("the largest index stands on the left", given.order == "time")

    def predict(self, given: Given) -> list[float]:
        """The formula, with every product formed."""
        run = elman_run(given.U, given.V, given.W, given.x)
        direct = (run.y - given.y) @ given.W
        J = step_jacobians(given.U, given.V, given.x)
        dz = torch.stack([
            torch.einsum("kij,ki->j", state_jacobians(J, t, order=given.order), direct[t - 1 :])
            for t in range(1, len(J) + 1)
        ])  # fmt: skip
        earlier = torch.cat([torch.zeros_like(run.z[:1]), run.z[:-1]])
        dU = (HYPERBOLIC.derivative(run.s) * dz).T @ earlier
        return [*dz.flatten().tolist(), *dU.flatten().tolist()]

    def measure(self, given: Given) -> list[float]:
        """Autograd; what is added to a state before it is passed on has the state's gradient."""
        U = given.U.clone().requires_grad_()
        extra = torch.zeros(len(given.x), len(U), dtype=torch.float64, requires_grad=True)
        z, loss = torch.zeros_like(extra[0]), torch.zeros(())
        for x, y, e in zip(given.x, given.y, extra.unbind(), strict=True):
            z = torch.tanh(U @ z + given.V @ x) + e
            loss = loss + (given.W @ z - y).square().sum() / 2
        dz, dU = torch.autograd.grad(loss, (extra, U))
        return [*dz.flatten().tolist(), *dU.flatten().tolist()]

    def counterexample(self, rng: Generator) -> Given:
        """The same product from the other side."""
        return self.given(rng)._replace(order="reversed")

    def figure(self, given: Given) -> Figure:
        """Lengths of the gradients of the states."""
        T, m = len(given.x), len(given.U)
        t = list(range(1, T + 1))

        def lengths(numbers: list[float]) -> Tensor:
            return torch.tensor(numbers[: T * m], dtype=torch.float64).reshape(T, m).norm(dim=1)

        wrong = self.predict(given._replace(order="reversed"))
        marks = (
            Curve(lengths(self.predict(given)), x=t, label="products of Jacobians",
                  role="predicted"),
            Points(t, lengths(self.measure(given)), label="autograd"),
            Curve(lengths(wrong), x=t, label="factors in the wrong order", role="other",
                  dashed=True),
        )  # fmt: skip
        return Figure("What a state does to the loss", x="t", y="‖∂L/∂z_t‖", marks=marks)
