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
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most
from corollary.theory.prerequisites.gradients import gradient


class Given(NamedTuple):
    """Frequencies, a point that is said to be stationary, and steps from it."""

    a: Float[Tensor, " d"]
    xstar: Float[Tensor, " d"]
    steps: Float[Tensor, "n d"]


class MinimumQuadraticBound(Claim[Given]):
    d: int = 3  # dimension
    n: int = 200  # points
    relation = at_most(ulps=2**12)  # 1 - cos is computed as 2 sin² of the half: no cancellation

    def given(self, rng: Generator) -> Given:
        """Steps of all lengths, every other along the steepest coordinate."""
        a = 1 + torch.rand(self.d, generator=rng, dtype=torch.float64)
        steps = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        steps[::2] *= torch.nn.functional.one_hot(a.argmax(), self.d)
        lengths = torch.logspace(-2, 1, self.n, dtype=torch.float64)[:, None]
        return Given(a, torch.zeros_like(a), lengths * steps / steps.norm(dim=1, keepdim=True))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The gradient at x*."""
        size = float(gradient(lambda x: _value(given, x), given.xstar).norm())
        detail = f"its length is {size:.3g}"
        yield Hypothesis("the gradient vanishes at x*", size < 1e-9, detail)

    def predict(self, given: Given) -> list[float]:
        """The parabola."""
        L = float(given.a.max() ** 2)
        return (L / 2 * given.steps.square().sum(dim=1)).tolist()

    def measure(self, given: Given) -> list[float]:
        """The rise."""
        rise = _value(given, given.xstar + given.steps) - _value(given, given.xstar)
        return rise.tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Half-way up the slope."""
        given = self.given(rng)
        return given._replace(xstar=torch.pi / 2 / given.a, steps=given.steps.abs())

    def figure(self, given: Given) -> Figure:
        """Rise and parabola over the distance."""
        distance = given.steps.norm(dim=1)
        return Figure(
            "Below the parabola of curvature L",
            x="‖x − x*‖",
            y="f(x) − f(x*)",
            log_x=True,
            log_y=True,
            marks=(
                Curve(self.predict(given), distance, label="(L/2) ‖x − x*‖²", role="predicted"),
                Points(distance, self.measure(given), label="drawn points x"),
            ),
        )


def _value(given: Given, x: Tensor) -> Tensor:
    return 2 * torch.sin(given.a * x / 2).square().sum(dim=-1)  # sum of 1 - cos(a x)
