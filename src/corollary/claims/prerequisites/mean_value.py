r"""Mean value theorem.

For differentiable :math:`f:\mathbb{R}^d\to\mathbb{R}` some :math:`c\in(0,1)` has

.. math:: f(x+y)-f(x)=\nabla f(x+cy)^\top y=\int_0^1\nabla f(x+ty)^\top y\,dt.

The integral form holds for vectors too, the point c does not: once around the circle,
:math:`t\mapsto(\cos t,\sin t)` returns to where it was, and is never at rest.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.3, Theorems 3 and 4,
    (1.15)-(1.16).
:kind: theorem
:uses: chain_rule
:covers: mean-value-theorems
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Level, Marks, Suppose, Trial, equals, normal, picture
from corollary.theory.prerequisites.gradients import one_sided_slopes
from corollary.theory.prerequisites.increments import mvt_point
from corollary.theory.prerequisites.jacobians import jacobian


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]  # to vectors; of one entry, for the theorem
    x: Float[Tensor, " d"]  # start of the segment
    y: Float[Tensor, " d"]  # to its end


def _is_smooth(given: Given) -> bool:
    f, x, y = given
    return all(
        one_sided_slopes(lambda z: f(z).sum(), x + t * y, y).differentiable
        for t in (0.1, 0.25, 0.5, 0.75, 0.9)
    )


def once_around(given: Given) -> Given:
    """Along a full circle the increment is zero, but the derivative is never zero."""
    start = torch.zeros(1, dtype=torch.float64)
    return Given(lambda t: torch.cat([t.cos(), t.sin()]), start, start + 2 * math.pi)


def across_a_kink(given: Given) -> Given:
    """Across the kink of |x|, the slope is -1 or 1, but the mean slope is between them."""
    start = torch.full((1,), -1.0, dtype=torch.float64)
    return Given(torch.abs, start, -4 * start)


def _slope(given: Given, t: float) -> Tensor:
    return jacobian(given.f, given.x + t * given.y) @ given.y


class MeanValue(Claim[Given]):
    d: int = 4  # dimension
    waves: int = 5  # terms of the function

    relation = equals(ulps=2**10, scale=1.0)  # the point c is known to 1e-15
    supposes = (
        Suppose("f takes real values", lambda g: len(g.f(g.x)) == 1, without=once_around),
        Suppose("f is differentiable along the segment", _is_smooth, without=across_a_kink),
    )
    symbols = "f(x + y) − f(x)", "∇f(x + cy)ᵀ y"

    def given(self, rng: Generator) -> Given:
        w, (x, y) = normal(rng, self.waves, self.d), normal(rng, 2, self.d)
        return Given(lambda x: torch.sin(w @ x).sum()[None], x, y)

    def predict(self, given: Given) -> Tensor:
        return given.f(given.x + given.y) - given.f(given.x)

    def measure(self, given: Given) -> Tensor:
        f, x, y = given
        if all(h.holds for h in self.hypotheses(given)):
            return _slope(given, mvt_point(lambda z: f(z).sum(), x, y).c)
        slopes = torch.stack([_slope(given, (i + 0.5) / 100) for i in range(100)])
        off = (slopes - (f(x + y) - f(x))).norm(dim=1)
        return slopes[off.argmin()]  # the one nearest to the increment

    @picture("Slope along the segment, and mean slope", x="t", y="∇f(x + ty)ᵀ y")
    def marks(self, trial: Trial[Given]) -> Marks:
        t = torch.linspace(0, 1, 101, dtype=torch.float64)
        slopes = [_slope(trial.given, float(s)) for s in t]
        yield Curve(torch.cat(slopes), t, label="slope along the segment")
        yield Level(trial.comparison.predicted[0], label=self.symbols[0])
