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
:uses: chain_rule, shared_weight_gradient
:covers: bptt-gradients
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, near, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.theory.networks.activations import HYPERBOLIC
from corollary.theory.sequences.bptt import elman_run
from corollary.theory.sequences.state_jacobians import state_jacobians, step_jacobians


class Given(NamedTuple):
    """Weights, a sequence, its targets, and how the factors from a time on are multiplied."""

    U: Float[Tensor, "m m"]
    V: Float[Tensor, "m n"]
    W: Float[Tensor, "q m"]
    x: Float[Tensor, "T n"]
    y: Float[Tensor, "T q"]
    products: Callable[[Tensor, int], Tensor]


def largest_on_the_left(given: Given) -> tuple[bool, str]:
    """Whether a product of two steps is the second factor times the first."""
    first, second = J = step_jacobians(given.U, given.V, given.x)[:2]
    return near(given.products(J, 0)[-1], second @ first)


class Bptt(Claim[Given]):
    T: int = option(8, low=3, high=100)  # length of the sequence
    m: int = option(4, low=2, high=50)  # units
    n: int = option(2, low=1, high=50)  # inputs

    relation = equals(ulps=2**16, scale=1.0)  # sums of T² products of up to T matrices
    supposes = Suppose(
        "the factor with the largest index is on the left",
        largest_on_the_left,
        "Factors in the wrong order give another gradient.",
        products=lambda g: partial(state_jacobians, order="reversed"),
    )
    symbols = "products of Jacobians", "autograd"

    def given(self, rng: Generator) -> Given:
        """Normal weights with singular values around 1."""
        m, n, T = self.m, self.n, self.T
        weights = 1.2 * normal(rng, m, m) / m**0.5, normal(rng, m, n), normal(rng, 2, m)
        return Given(*weights, normal(rng, T, n), normal(rng, T, 2), state_jacobians)

    def predict(self, given: Given) -> Tensor:
        run = elman_run(given.U, given.V, given.W, given.x)
        direct = (run.y - given.y) @ given.W
        J = step_jacobians(given.U, given.V, given.x)
        times = range(1, len(J) + 1)
        parts = (torch.einsum("kij,ki->j", given.products(J, t), direct[t - 1 :]) for t in times)
        dz = torch.stack(list(parts))
        earlier = torch.cat([torch.zeros_like(run.z[:1]), run.z[:-1]])
        dU = (HYPERBOLIC.derivative(run.s) * dz).T @ earlier
        return torch.cat([dz.flatten(), dU.flatten()])

    def measure(self, given: Given) -> Tensor:
        """What is added to a state before it is passed on has the state's gradient."""
        U = given.U.clone().requires_grad_()
        extra = torch.zeros(len(given.x), len(U), dtype=torch.float64, requires_grad=True)
        z, loss = torch.zeros_like(extra[0]), torch.zeros(())
        for x, y, e in zip(given.x, given.y, extra.unbind(), strict=True):
            z = torch.tanh(U @ z + given.V @ x) + e
            loss = loss + (given.W @ z - y).square().sum() / 2
        dz, dU = torch.autograd.grad(loss, (extra, U))
        return torch.cat([dz.flatten(), dU.flatten()])

    @picture("Gradient of the loss with respect to each state", x="t", y="‖∂L/∂z_t‖")
    def marks(self, trial: Trial[Given]) -> Marks:
        shape = len(trial.given.x), len(trial.given.U)
        t = list(range(1, shape[0] + 1))

        def lengths(numbers: Tensor) -> Tensor:
            rows: Tensor = numbers[: shape[0] * shape[1]].reshape(shape).norm(dim=1)
            return rows

        yield Curve(lengths(trial.predicted), t, self.symbols[0], "predicted")
        yield Points(t, lengths(trial.measured), label=self.symbols[1])
        for wrong in trial.without:
            yield Curve(lengths(wrong.predicted), t, "factors in the wrong order", "other", True)
