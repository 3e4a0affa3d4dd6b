r"""Quadratic upper bound at a minimum.

If f is L-smooth and :math:`\nabla f(x^*)=0`, as at a local minimiser, then for all x

.. math:: f(x)-f(x^*)\le\frac L2\|x-x^*\|^2,

with no remainder. (The exercise of the notes carries a term :math:`o(\|x-x^*\|^3)`, which is not
needed; Taylor's theorem alone would leave :math:`o(\|x-x^*\|^2)`.) Where the gradient does not
vanish, f rises faster than any quadratic at first.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.7, Problem 3e, and Corollary 35.
:kind: bound
:cost: instant
:covers: local-minimum-quadratic-bound
:scale-free: theory only tests that the gradient vanishes, which no factor changes.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, at_most, normal, uniform
from corollary.theory.prerequisites.gradients import gradient


class Given(NamedTuple):
    a: Float[Tensor, " d"]  # frequencies
    xstar: Float[Tensor, " d"]  # the point that is said to be stationary
    steps: Float[Tensor, "n d"]  # from it


def half_way_up(given: Given) -> Given:
    """Half-way up the slope f rises faster than any parabola from there."""
    return given._replace(xstar=torch.pi / 2 / given.a, steps=given.steps.abs())


def _value(given: Given, x: Tensor) -> Tensor:
    return 2 * torch.sin(given.a * x / 2).square().sum(dim=-1)  # sum of 1 - cos(a x)


class MinimumQuadraticBound(Claim[Given]):
    d: int = 3  # dimension
    n: int = 200  # points

    relation = at_most(ulps=2**12)  # 1 - cos is computed as 2 sin² of the half: no cancellation
    supposes = Suppose(
        "the gradient vanishes at x*",
        lambda g: 1e-9 - gradient(lambda x: _value(g, x), g.xstar).norm(),
        without=half_way_up,
    )
    symbols = "(L/2) ‖x − x*‖²", "f(x) − f(x*)"
    shows = Parity("Below the parabola of curvature L", log="xy")

    def given(self, rng: Generator) -> Given:
        a, steps = 1 + uniform(rng, self.d), normal(rng, self.n, self.d)
        steps[::2] *= torch.nn.functional.one_hot(a.argmax(), self.d)  # the steepest coordinate
        lengths = torch.logspace(-2, 1, self.n, dtype=torch.float64)[:, None]
        return Given(a, 0 * a, lengths * steps / steps.norm(dim=1, keepdim=True))

    def predict(self, given: Given) -> Tensor:
        return given.a.max() ** 2 / 2 * given.steps.square().sum(dim=1)

    def measure(self, given: Given) -> Tensor:
        return _value(given, given.xstar + given.steps) - _value(given, given.xstar)
