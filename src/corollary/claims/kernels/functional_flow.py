r"""Gradient flow of a network in function space.

Under :math:`\dot\theta = \sum_i(y_i - f(x_i))\nabla f(x_i)` the outputs obey

.. math:: \dot f = K_t(y - f), \qquad \dot L = -(y - f)^\top K_t(y - f) \le 0,

:math:`K_t` the tangent kernel at that time: a small step dt of the parameters changes the outputs
by :math:`dt\,K(y - f)` up to :math:`O(dt^2)`.

:source: Perez Jensen (2025), Deep Learning, Section 9; Lucchi (2025), Foundations of Deep Learning,
    Theorem 54 and Chapter 7, Exercise 1 a-b.
:kind: rate
:uses: chain_rule
:covers: function-space-gradient-flow
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, near, normal, option, slope
from corollary.models.mlp import MLP
from corollary.theory.kernels.empirical import empirical_ntk, pull_back
from corollary.theory.kernels.empirical.products import outputs_at, trainable


class Given(NamedTuple):
    model: MLP
    x: Float[Tensor, "n 3"]
    y: Float[Tensor, "n 1"]
    velocity: list[Tensor]  # of the parameters

    @property
    def gradient(self) -> list[Tensor]:
        return pull_back(self.model, self.x, self.y - self.model(self.x).detach())


def flat(parts: list[Tensor]) -> Tensor:
    """All numbers in a row."""
    return torch.cat([t.flatten() for t in parts])


class FunctionalFlow(Claim[Given]):
    width: int = option(20, low=1, high=1000)  # hidden units
    n: int = option(6, low=1, high=50)  # training inputs
    steps: tuple[float, ...] = (1e-4, 3e-4, 1e-3, 3e-3)  # time steps dt

    relation = slope(gap=0.15)  # third-order terms at the largest step
    supposes = Suppose(
        "parameters move along the gradient",
        lambda g: near(flat(g.velocity), flat(g.gradient)),
        "Steps along the sign of the gradient do not follow the tangent kernel.",
        velocity=lambda g: [t.sign() * t.abs().mean() for t in g.gradient],
    )
    symbols = "dt²", "|Δf − dt K(y − f)|"
    predicts = 2.0
    shows = Over("Error of a linearised step in function space", x="dt")

    def given(self, rng: Generator) -> Given:
        model = MLP([3, self.width, 1], "tanh", rng=rng)
        given = Given(model, normal(rng, self.n, 3), normal(rng, self.n, 1), [])
        return given._replace(velocity=given.gradient)

    def measure(self, given: Given) -> Series:
        model, x, y, velocity = given
        f = model(x).detach()
        driven = empirical_ntk(model, x) @ (y - f)

        def gap(dt: float) -> float:
            pairs = zip(trainable(model).items(), velocity, strict=True)
            moved = {name: p.detach() + dt * v for (name, p), v in pairs}
            return float((outputs_at(model, moved, x) - f - dt * driven).norm())

        return Series(self.steps, [gap(dt) for dt in self.steps])
