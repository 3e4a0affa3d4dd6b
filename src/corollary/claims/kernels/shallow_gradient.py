r"""The gradient of a shallow network.

For :math:`f(W) = \sum_j a_j\sigma(w_j^\top x)` with fixed outer weights and a differentiable
:math:`\sigma`,

.. math:: \nabla f(W) = D\,a\,x^\top, \quad D = \mathrm{diag}\,\sigma'(w_j^\top x), \qquad
          \langle\nabla f(W_0), V\rangle_F = \sum_j a_j\sigma'(w_{0,j}^\top x)\,v_j^\top x,

which is the slope of f along V. At a kink the slope depends on the side one leaves to.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 2 a-b.
:kind: identity
:uses: chain_rule
:covers: shallow-net-gradient
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.theory.kernels.shallow import shallow_gradient


class Given(NamedTuple):
    sigma: Callable[[Tensor], Tensor]
    w: Float[Tensor, "m d"]
    a: Float[Tensor, " m"]  # outer weights
    x: Float[Tensor, " d"]  # an input
    v: Float[Tensor, "k m d"]  # directions

    def quotient(self, h: float) -> Float[Tensor, " k"]:
        moved, here = (self.sigma(w @ self.x) @ self.a for w in (self.w + h * self.v, self.w))
        return (moved - here) / h


def jump(g: Given, h: float = 1e-5) -> float:
    """The difference between slopes to the right and to the left, at every unit's input."""
    z = g.w @ g.x
    return float((g.sigma(z + h) - 2 * g.sigma(z) + g.sigma(z - h)).abs().max()) / h


class ShallowGradient(Claim[Given]):
    m: int = option(8, low=1, high=1000)  # hidden units
    d: int = option(5, low=1, high=1000)  # inputs
    directions: int = option(4, low=1, high=100)  # random directions

    relation = equals(ulps=2**24, scale=1.0)  # difference quotients lose half of the digits
    supposes = Suppose(
        "the activation is differentiable at every unit's input",
        lambda g: 1e-3 - jump(g),
        "For ReLU units at their kink the slope depends on the side.",
        sigma=lambda g: torch.relu,
        w=lambda g: 0 * g.w,
    )
    symbols = "⟨∇f(W), V⟩", "slope of f along V"
    shows = Along("Slopes of a shallow network", x="direction V", y="slope", first=1)

    def given(self, rng: Generator) -> Given:
        w, a, x = normal(rng, self.m, self.d), normal(rng, self.m), normal(rng, self.d)
        v = normal(rng, self.directions, self.m, self.d)
        return Given(torch.tanh, w, a / self.m**0.5, x / self.d**0.5, v)

    def predict(self, given: Given) -> Tensor:
        slope = shallow_gradient(given.w, given.a, given.x, given.sigma)
        return (slope * given.v).sum((1, 2))

    def measure(self, given: Given) -> Tensor:
        coarse, middle, fine = (given.quotient(h) for h in (4e-4, 2e-4, 1e-4))
        first, second = 2 * middle - coarse, 2 * fine - middle  # extrapolated twice
        return (4 * second - first) / 3
