r"""Quadratic upper bound.

If the gradient of f is L-Lipschitz, f stays between two parabolas that touch it:

.. math:: \bigl|f(x)-f(x')-\nabla f(x')^\top(x-x')\bigr|\le\tfrac L2\|x-x'\|^2 .

The upper half is what every descent proof uses. For convex f it is equivalent to L-smoothness;
without convexity it is weaker, and both halves are needed.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 5.5 and 5.8, Problem 1.
:kind: bound
:uses: mean_value, cauchy_schwarz
:covers: descent-quadratic-upper-bound
:erratum: [missing hypothesis] Section 5.5 says that smoothness of a twice differentiable f can be
    restated as the upper bound alone. For convex f, the section's setting, that is right; without
    convexity the upper bound is weaker: -x^4 satisfies it with every L >= 0, but its gradient is
    not Lipschitz, and at distance 3 from 0 it lies 81 below its tangent where L = 1 allows 4.5.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import Function, hills
from corollary.core import Along, Claim, Suppose, at_most, normal
from corollary.theory.optimization.smoothness_bounds import smoothness_gap
from corollary.theory.prerequisites.smoothness import hessian_norm


class Given(NamedTuple):
    f: Function
    L: float  # smoothness of f
    x: Float[Tensor, "n d"]
    xp: Float[Tensor, "n d"]  # where the parabolas touch

    @property
    def distance(self) -> Float[Tensor, " n"]:
        return (self.x - self.xp).square().sum(dim=1).sqrt()


class QuadraticUpperBound(Claim[Given]):
    n: int = 20  # pairs of points
    d: int = 2  # dimension
    m: int = 3  # waves that are added up

    relation = at_most(ulps=2**10)  # the remainder is a difference of values of size 10
    supposes = Suppose(
        "the Hessian of f is nowhere larger than L",
        lambda g: (
            g.L * (1 + 1e-9)
            - max(hessian_norm(g.f, p) for p in torch.cat([g.x, g.xp, (g.x + g.xp) / 2]))
        ),
        "The notes require the upper bound only: -x⁴ satisfies it, but lies far below its tangent.",
        lambda g: Given(lambda x: -(x**4).sum(), 1.0, 0 * g.x[:1, :1] + 3, 0 * g.x[:1, :1]),
    )
    symbols = "L‖x − x′‖²/2", "|f(x) − f(x′) − ∇f(x′)ᵀ(x − x′)|"
    shows = Along(
        "Difference between an L-smooth function and its tangents",
        x="‖x − x′‖",
        at="distance",
        without=False,
    )

    def given(self, rng: Generator) -> Given:
        o, xp = hills(self.m, self.d, rng), 2 * normal(rng, self.n, self.d)
        away = 3 * normal(rng, self.n, self.d)
        return Given(o.f, o.L, xp + away[away.norm(dim=1).argsort()], xp)

    def predict(self, given: Given) -> list[float]:
        return (given.L / 2 * given.distance.square()).tolist()

    def measure(self, given: Given) -> list[float]:
        pairs = zip(given.x, given.xp, strict=True)
        gaps = [smoothness_gap(given.f, x, xp, given.L) for x, xp in pairs]
        return [abs(gap.lower - gap.upper) / 2 for gap in gaps]

    def tight(self) -> Given:
        """A parabola of curvature L."""
        x = torch.tensor([[3.0]], dtype=torch.float64)
        return Given(lambda x: x.square().sum(), 2.0, x, x - 2)
