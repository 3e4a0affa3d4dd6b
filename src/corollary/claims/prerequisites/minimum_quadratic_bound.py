r"""Quadratic upper bound at a minimum.

If f is L-smooth and :math:`\nabla f(x^*)=0`, as at a local minimiser, then for all x

.. math:: f(x)-f(x^*)\le\frac L2\|x-x^*\|^2,

with no remainder. (The exercise of the notes carries a term :math:`o(\|x-x^*\|^3)`, which is not
needed; Taylor's theorem alone would leave :math:`o(\|x-x^*\|^2)`.) Where the gradient does not
vanish, f rises faster than any quadratic at first.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.7, Problem 3e, and Corollary 35.
:kind: bound
:uses: quadratic_upper_bound
:covers: local-minimum-quadratic-bound
:scale-free: theory only tests the hypotheses; the bound is a formula.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, at_most, below, normal, uniform
from corollary.theory.prerequisites.gradients import gradient
from corollary.theory.prerequisites.smoothness import smoothness_constant


class Given(NamedTuple):
    a: Float[Tensor, " d"]  # frequencies
    xstar: Float[Tensor, " d"]  # the point that is said to be stationary
    steps: Float[Tensor, "n d"]  # from it
    L: float  # what is taken for the smoothness

    def value(self, x: Float[Tensor, "*n d"]) -> Float[Tensor, "*n"]:
        """The sum of 1 - cos(a x)."""
        return 2 * torch.sin(self.a * x / 2).square().sum(dim=-1)

    def points(self) -> Float[Tensor, "n d"]:
        """Where the bound is read."""
        return self.xstar + self.steps


class MinimumQuadraticBound(Claim[Given]):
    d: int = 3  # dimension
    n: int = 200  # points

    relation = at_most(ulps=2**12)  # 1 - cos is computed as 2 sin² of the half: no cancellation
    supposes = (
        Suppose(
            "the gradient vanishes at x*",
            lambda g: 1e-9 - gradient(g.value, g.xstar).norm(),
            "At a point with nonzero gradient, f rises faster than the parabola.",
            xstar=lambda g: torch.pi / 2 / g.a,
            steps=lambda g: g.steps.abs(),
        ),
        Suppose(
            "f is L-smooth at the points",
            lambda g: below(smoothness_constant(g.value, g.points()[::11]).value, g.L, 1e-9),
            "If L is halved, the parabola is too flat.",
            L=lambda g: g.L / 2,
        ),
    )
    symbols = "(L/2) ‖x − x*‖²", "f(x) − f(x*)"
    shows = Parity("f lies below the parabola of curvature L", log="xy")

    def given(self, rng: Generator) -> Given:
        a, steps = 1 + uniform(rng, self.d), normal(rng, self.n, self.d)
        steps[::2] *= torch.nn.functional.one_hot(a.argmax(), self.d)  # the steepest coordinate
        lengths = torch.logspace(-2, 1, self.n, dtype=torch.float64)[:, None]
        steps = lengths * steps / steps.norm(dim=1, keepdim=True)
        return Given(a, 0 * a, steps, float(a.max() ** 2))

    def predict(self, given: Given) -> Tensor:
        return given.L / 2 * given.steps.square().sum(dim=1)

    def measure(self, given: Given) -> Tensor:
        return given.value(given.points()) - given.value(given.xstar)
