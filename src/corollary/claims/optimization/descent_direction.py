r"""Descent directions.

If :math:`\nabla f(x)^\top s<0`, that is if s makes an angle in :math:`[0,\pi/2)` with
:math:`-\nabla f(x)`, then :math:`f(x+as)<f(x)` for all small :math:`a>0`. For L-smooth f
small means

.. math:: 0<a<\frac{2\,|\nabla f(x)^\top s|}{L\,\|s\|^2} .

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.1, (5.3) and (5.4).
:kind: theorem
:cost: instant
:covers: descent-direction
:erratum: [possible OCR artefact] After (5.4) the angle interval reads [0, pi/2]; it must be half
    open. At a right angle s need not descend: from 0 the direction (0, 1) climbs x_1 + x_2^2.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, at_most, option
from corollary.theory.optimization.critical_points import is_descent_direction
from corollary.theory.optimization.objectives import waves
from corollary.theory.prerequisites.gradients import gradient


class Given(NamedTuple):
    """A function, a point, and steps from it."""

    f: Callable[[Tensor], Tensor]
    L: float
    x: Float[Tensor, " d"]
    s: Float[Tensor, "n d"]  # directions
    a: Float[Tensor, " n"]  # lengths of the steps, in units of s


class DescentDirection(Claim[Given]):
    n: int = 40  # directions
    d: int = option(2, low=2)  # dimension
    m: int = 4  # waves that are added up
    relation = at_most(ulps=8)  # two values of f are compared

    def given(self, rng: Generator) -> Given:
        """Directions of the half-space below, steps of all sizes up to the longest allowed."""
        w = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64)
        b = 6.3 * torch.rand(self.m, generator=rng, dtype=torch.float64)
        landscape = waves(w, b, torch.ones(self.m, dtype=torch.float64))
        x = torch.randn(self.d, generator=rng, dtype=torch.float64)
        s = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        slope = s @ gradient(landscape.f, x)
        s = -slope.sign()[:, None] * s
        share = 0.02 + 0.96 * torch.rand(self.n, generator=rng, dtype=torch.float64)
        a = share * 2 * slope.abs() / (landscape.L * s.square().sum(dim=1))
        return Given(landscape.f, landscape.L, x, s, a)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Angle and length."""
        f, L, x, s, a = given
        g = gradient(f, x)
        down = all(is_descent_direction(g, v) for v in s)
        yield Hypothesis("each direction is at less than a right angle to -grad f", down)
        longest = 2 * (s @ g).abs() / (L * s.square().sum(dim=1))
        short = bool((longest == 0).any() or (a < longest).all())
        yield Hypothesis("each step is shorter than 2|grad f·s|/(L|s|²)", short)

    def predict(self, given: Given) -> float:
        """The value before."""
        return float(given.f(given.x))

    def measure(self, given: Given) -> list[float]:
        """The values after."""
        return torch.vmap(given.f)(given.x + given.a[:, None] * given.s).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Right angles to the gradient."""
        x, s = torch.zeros(2, dtype=torch.float64), torch.tensor([[0.0, 1.0]], dtype=torch.float64)
        return Given(lambda x: x[0] + x[1] ** 2, 2.0, x, s, torch.tensor([0.5], dtype=s.dtype))

    def figure(self, given: Given) -> Figure:
        """The change of f by the angle of the step, for three lengths."""
        f, L, x = given.f, given.L, given.x
        g = gradient(f, x)
        down = -g / g.norm()
        other = given.s[0] - (given.s[0] @ down) * down
        angle = torch.linspace(-math.pi, math.pi, 181, dtype=torch.float64)
        across = other / other.norm()
        s = angle.cos()[:, None] * down + angle.sin()[:, None] * across
        marks: list[Curve | Level] = [Level(0.0, label="f(x)")]
        for share in (0.05, 0.2, 0.5):
            a = share * 2 * float(g.norm()) / L
            change = torch.vmap(f)(x + a * s) - f(x)
            marks.append(Curve(change / a, angle * 180 / math.pi, f"a = {a:.2g}"))
        for side in (-90.0, 90.0):
            marks.append(Level(side, label="right angle", role="other", axis="x"))
        return Figure(
            "A step goes down within a right angle of −∇f",
            x="angle between s and −∇f(x), degrees",
            y="(f(x + as) − f(x)) / a",
            marks=tuple(marks),
        )
