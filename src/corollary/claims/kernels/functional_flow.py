r"""Gradient flow of a network in function space.

Under :math:`\dot\theta = \sum_i(y_i - f(x_i))\nabla f(x_i)` the outputs obey

.. math:: \dot f = K_t(y - f), \qquad \dot L = -(y - f)^\top K_t(y - f) \le 0,

:math:`K_t` the tangent kernel at that time: a small step dt of the parameters changes the outputs
by :math:`dt\,K(y - f)` up to :math:`O(dt^2)`.

:source: Perez Jensen (2025), Deep Learning, Section 9; Lucchi (2025), Foundations of Deep Learning,
    Theorem 54 and Chapter 7, Exercise 1 a-b.
:kind: rate
:cost: instant
:covers: function-space-gradient-flow
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.utils import skip_init

from corollary.claims.kernels._rate_figure import rate_figure
from corollary.core import Claim, Figure, Hypothesis, Series, option, slope
from corollary.theory.kernels.empirical import empirical_ntk, pull_back
from corollary.theory.kernels.empirical.products import outputs_at, trainable

STEPS = (1e-4, 3e-4, 1e-3, 3e-3)


class Given(NamedTuple):
    """A network's weights, data, and how parameters are moved."""

    weights: tuple[Float[Tensor, "..."], ...]
    x: Float[Tensor, "n d"]
    y: Float[Tensor, "n 1"]
    rule: Literal["gradient", "sign"]


class FunctionalFlow(Claim[Given]):
    width: int = option(20, low=1, high=1000)  # hidden units
    n: int = option(6, low=1, high=50)  # training inputs
    relation = slope(gap=0.15)  # third-order terms at the largest step

    def given(self, rng: Generator) -> Given:
        """A tanh network with unit outputs."""
        shapes = ((self.width, 3), (self.width,), (1, self.width))
        scales = (1.0, 1.0, self.width**-0.5)
        weights = tuple(
            s * torch.randn(*shape, generator=rng, dtype=torch.float64)
            for shape, s in zip(shapes, scales, strict=True)
        )
        x = torch.randn(self.n, 3, generator=rng, dtype=torch.float64)
        y = torch.randn(self.n, 1, generator=rng, dtype=torch.float64)
        return Given(weights, x, y, "gradient")

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Plain gradient descent."""
        yield Hypothesis(
            "parameters move along the gradient", given.rule == "gradient", f"rule {given.rule}"
        )

    def predict(self, given: Given) -> float:
        """The order of the discrepancy."""
        return 2.0

    def measure(self, given: Given) -> Series:
        """Change of the outputs less dt K(y - f)."""
        model = _network(given)
        with torch.no_grad():
            f = model(given.x)
        rest = given.y - f
        driven = empirical_ntk(model, given.x) @ rest
        pulled = pull_back(model, given.x, rest)
        if given.rule == "sign":
            pulled = [g.sign() * g.abs().mean() for g in pulled]
        gaps = []
        for dt in STEPS:
            pairs = zip(trainable(model).items(), pulled, strict=True)
            moved = {name: p.detach() + dt * g for (name, p), g in pairs}
            gaps.append(float((outputs_at(model, moved, given.x) - f - dt * driven).norm()))
        return Series(STEPS, gaps)

    def counterexample(self, rng: Generator) -> Given:
        """Steps by the sign of the gradient: the tangent kernel does not drive them."""
        return self.given(rng)._replace(rule="sign")

    def figure(self, given: Given) -> Figure:
        """Discrepancy over step."""
        found = self.measure(given)
        gap = "|Δf - dt K(y - f)|"
        return rate_figure("A step in function space", STEPS, found.values, 2.0, "dt", gap)


def _network(given: Given) -> nn.Module:
    width = len(given.weights[1])
    last = skip_init(nn.Linear, width, 1, bias=False)
    model = nn.Sequential(skip_init(nn.Linear, 3, width), nn.Tanh(), last).double()
    with torch.no_grad():
        for p, w in zip(model.parameters(), given.weights, strict=True):
            p.copy_(w)
    return model
