r"""A long gradient means a high place.

If f is L-smooth and :math:`x^*` a global minimiser, then for all x

.. math:: f(x)-f(x^*)\ge\frac{\|\nabla f(x)\|^2}{2L},

with equality for :math:`\frac L2\|x\|^2`: a gradient step of size 1/L can always be taken, and it
cannot lead below the minimum.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 36.
:kind: bound
:cost: instant
:covers: smooth-suboptimality-gradient
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_least, option
from corollary.theory.optimization.newton import newton
from corollary.theory.optimization.objectives import sine_valley
from corollary.theory.optimization.smoothness_bounds import suboptimality_from_gradient
from corollary.theory.prerequisites.gradients import gradient


class Given(NamedTuple):
    """A function, its smoothness, what is taken for its minimiser, and points."""

    f: Callable[[Tensor], Tensor]
    L: float
    xstar: Float[Tensor, " d"]
    x: Float[Tensor, "n d"]


class SmoothSuboptimality(Claim[Given]):
    n: int = 60  # points
    d: int = 2  # dimension
    spread: float = option(2.0, low=0.01, high=100.0)  # size of the points
    relation = at_least(ulps=64)  # squares of coordinates and of gradients

    def given(self, rng: Generator) -> Given:
        """The sine valley: smooth, not convex, minimal at 0."""
        o = sine_valley(self.d)
        x = self.spread * torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        near = torch.linspace(0.01, 1, self.n, dtype=torch.float64)
        return Given(o.f, o.L, o.minimiser, near[:, None] * x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A lower point would refute it."""
        lowest = float(torch.vmap(given.f)(given.x).min())
        yield Hypothesis("no point lies below x*", lowest >= float(given.f(given.xstar)))

    def predict(self, given: Given) -> list[float]:
        """From the gradients."""
        return [suboptimality_from_gradient(gradient(given.f, x), given.L) for x in given.x]

    def measure(self, given: Given) -> list[float]:
        """Heights."""
        return (torch.vmap(given.f)(given.x) - given.f(given.xstar)).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A local minimum that is not global is taken for x*."""

        def f(x: Tensor) -> Tensor:
            return (x.square() / 20 + 1 - torch.cos(x)).sum()

        start = torch.tensor([2 * math.pi], dtype=torch.float64)
        x = torch.linspace(-3, 9, 61, dtype=torch.float64)[:, None]
        return Given(f, 1.1, newton(f, start, steps=10, tol=1e-14).x[-1], x)

    def figure(self, given: Given) -> Figure:
        """Heights against gradients."""
        size = torch.stack([gradient(given.f, x) for x in given.x]).norm(dim=1)
        g = torch.linspace(0, float(size.max()), 81, dtype=torch.float64)
        return Figure(
            "Heights and gradients of a smooth function",
            x="‖∇f(x)‖",
            y="f(x) − f(x*)",
            marks=(
                Curve(g**2 / (2 * given.L), g, "‖∇f‖²/(2L)", "predicted"),
                Points(size, self.measure(given), label="points"),
            ),
        )
