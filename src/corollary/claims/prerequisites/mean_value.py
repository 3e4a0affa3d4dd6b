r"""Mean value theorem.

For differentiable :math:`f:\mathbb{R}^d\to\mathbb{R}` some :math:`c\in(0,1)` has

.. math:: f(x+y)-f(x)=\nabla f(x+cy)^\top y=\int_0^1\nabla f(x+ty)^\top y\,dt.

The integral form holds for vectors too, the point c does not: once around the circle,
:math:`t\mapsto(\cos t,\sin t)` returns to where it was, and is never at rest.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.3, Theorems 3 and 4,
    (1.15)-(1.16).
:kind: theorem
:cost: instant
:covers: mean-value-theorems
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, equals
from corollary.theory.prerequisites.gradients import one_sided_slopes
from corollary.theory.prerequisites.increments import mvt_point
from corollary.theory.prerequisites.jacobians import jacobian


class Given(NamedTuple):
    """A map to vectors (of one entry, for the theorem) and a segment."""

    f: Callable[[Tensor], Tensor]
    x: Float[Tensor, " d"]
    y: Float[Tensor, " d"]


class MeanValue(Claim[Given]):
    d: int = 4  # dimension
    waves: int = 5  # terms of the function
    relation = equals(ulps=2**10, scale=1.0)  # the point c is known to 1e-15

    def given(self, rng: Generator) -> Given:
        """A sum of waves in random directions."""
        w = torch.randn(self.waves, self.d, generator=rng, dtype=torch.float64)
        x, y = torch.randn(2, self.d, generator=rng, dtype=torch.float64)
        return Given(lambda x: torch.sin(w @ x).sum()[None], x, y)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """One number, and slopes along the segment."""
        f, x, y = given
        k = len(f(x))
        yield Hypothesis("f takes real values", k == 1, f"{k} entries")
        kinks = [
            not one_sided_slopes(lambda z: f(z).sum(), x + t * y, y).differentiable
            for t in (0.1, 0.25, 0.5, 0.75, 0.9)
        ]
        yield Hypothesis("f is differentiable along the segment", not any(kinks))

    def predict(self, given: Given) -> list[float]:
        """The increment."""
        return (given.f(given.x + given.y) - given.f(given.x)).tolist()

    def measure(self, given: Given) -> list[float]:
        """The slope at the mean value, or the one nearest to the increment."""
        return _slope(given, _point(given)).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Once around the circle."""
        start = torch.zeros(1, dtype=torch.float64)
        return Given(_circle, start, start + 2 * math.pi)

    def figure(self, given: Given) -> Figure:
        """The slope along the segment, and where it is the mean slope."""
        t = torch.linspace(0, 1, 101, dtype=torch.float64)
        slopes = [float(_slope(given, float(s))[0]) for s in t]
        c = _point(given)
        return Figure(
            "Somewhere the slope is the mean slope",
            x="t",
            y="∇f(x + ty)ᵀ y",
            marks=(
                Curve(slopes, t, label="slope along the segment", role="other"),
                Level(self.predict(given)[0], label="f(x + y) − f(x)"),
                Points([c], [float(_slope(given, c)[0])], label="the point c"),
            ),
        )


def _circle(t: Tensor) -> Tensor:
    return torch.cat([torch.cos(t), torch.sin(t)])


def _slope(given: Given, t: float) -> Tensor:
    return jacobian(given.f, given.x + t * given.y) @ given.y


def _point(given: Given) -> float:
    f, x, y = given
    if len(f(x)) == 1:
        return mvt_point(lambda z: f(z).sum(), x, y).c
    grid = [(i + 0.5) / 100 for i in range(100)]
    increment = f(x + y) - f(x)
    return min(grid, key=lambda t: float((_slope(given, t) - increment).norm()))
