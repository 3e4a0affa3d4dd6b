r"""Quadratic upper bound.

If the gradient of f is L-Lipschitz, f stays between two parabolas that touch it:

.. math:: \bigl|f(x)-f(x')-\nabla f(x')^\top(x-x')\bigr|\le\tfrac L2\|x-x'\|^2 .

The upper half is what every descent proof uses. For convex f it is equivalent to L-smoothness;
without convexity it is weaker, and both halves are needed.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 5.5 and 5.8, Problem 1.
:kind: bound
:cost: instant
:covers: descent-quadratic-upper-bound
:erratum: [missing hypothesis] Section 5.5 says that smoothness of a twice differentiable f can be
    restated as the upper bound alone. For convex f, the section's setting, that is right; without
    convexity the upper bound is weaker: -x^4 satisfies it with every L >= 0, but its gradient is
    not Lipschitz, and at distance 3 from 0 it lies 81 below its tangent where L = 1 allows 4.5.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most
from corollary.theory.optimization.objectives import waves
from corollary.theory.prerequisites.gradients import gradient
from corollary.theory.prerequisites.smoothness import hessian_norm


class Given(NamedTuple):
    """A function, its smoothness and pairs of points."""

    f: Callable[[Tensor], Tensor]
    L: float
    x: Float[Tensor, "n d"]
    xp: Float[Tensor, "n d"]  # where the parabolas touch


class QuadraticUpperBound(Claim[Given]):
    n: int = 20  # pairs of points
    d: int = 2  # dimension
    m: int = 3  # waves that are added up
    relation = at_most(ulps=2**10)  # the remainder is a difference of values of size 10

    def given(self, rng: Generator) -> Given:
        """A sum of waves: hills, valleys and saddles."""
        w = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64)
        b = 6.3 * torch.rand(self.m, generator=rng, dtype=torch.float64)
        landscape = waves(w, b, torch.ones(self.m, dtype=torch.float64))
        x, xp = 2 * torch.randn(2, self.n, self.d, generator=rng, dtype=torch.float64)
        return Given(landscape.f, landscape.L, x, xp)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The curvature at the points and halfway."""
        f, L, x, xp = given
        points = torch.cat([x, xp, (x + xp) / 2])
        largest = max(hessian_norm(f, p) for p in points)
        detail = f"largest curvature seen {largest:.3g}, L = {L:.3g}"
        yield Hypothesis("the Hessian of f is nowhere larger than L", largest <= L, detail)

    def predict(self, given: Given) -> list[float]:
        """The parabola."""
        return (given.L / 2 * (given.x - given.xp).square().sum(dim=1)).tolist()

    def measure(self, given: Given) -> list[float]:
        """The distance of f to its tangent."""
        f, _, x, xp = given
        slopes = torch.stack([gradient(f, p) for p in xp])
        rest = torch.vmap(f)(x) - torch.vmap(f)(xp) - (slopes * (x - xp)).sum(dim=1)
        return rest.abs().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The notes' one-sided form: -x^4 is below all upper parabolas, far below the lower."""
        x = torch.tensor([[3.0]], dtype=torch.float64)
        return Given(lambda x: -(x**4).sum(), 1.0, x, torch.zeros_like(x))

    def figure(self, given: Given) -> Figure:
        """A section of f between its parabolas."""
        f, L, x, xp = given
        p, u = xp[0], (x[0] - xp[0]) / (x[0] - xp[0]).norm()
        t = torch.linspace(-2.5, 2.5, 161, dtype=torch.float64)
        tangent = float(f(p)) + float(gradient(f, p) @ u) * t
        return Figure(
            "A smooth function between two parabolas",
            x="t",
            y="f(x′ + tu)",
            marks=(
                Curve(tangent + L / 2 * t**2, t, "tangent + Lt²/2", "predicted"),
                Curve(tangent - L / 2 * t**2, t, "tangent − Lt²/2", "predicted"),
                Curve(tangent, t, "tangent", "other", dashed=True),
                Curve(torch.vmap(f)(p + t[:, None] * u), t, "f"),
            ),
        )
