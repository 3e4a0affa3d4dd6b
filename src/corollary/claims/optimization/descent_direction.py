r"""Descent directions.

If :math:`\nabla f(x)^\top s<0`, that is if s makes an angle in :math:`[0,\pi/2)` with
:math:`-\nabla f(x)`, then :math:`f(x+as)<f(x)` for all small :math:`a>0`. For L-smooth f
small means

.. math:: 0<a<\frac{2\,|\nabla f(x)^\top s|}{L\,\|s\|^2} .

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.1, (5.3) and (5.4).
:kind: theorem
:uses: taylor_remainder
:covers: descent-direction
:erratum: [possible OCR artefact] After (5.4) the angle interval reads [0, pi/2]; it must be half
    open. At a right angle s need not descend: from 0 the direction (0, 1) climbs x_1 + x_2^2.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import Function, hills
from corollary.core import Along, Claim, Suppose, at_most, normal, option, uniform
from corollary.theory.optimization.critical_points import is_descent_direction
from corollary.theory.prerequisites.gradients import gradient


class Given(NamedTuple):
    f: Function
    L: float  # smoothness of f
    x: Float[Tensor, " d"]
    s: Float[Tensor, "n d"]  # directions
    a: Float[Tensor, " n"]  # lengths of the steps, in units of s

    @property
    def share(self) -> Float[Tensor, " n"]:
        """Each length in units of the longest that is sure to descend."""
        steepness = (self.s @ gradient(self.f, self.x)).abs()
        return self.a * self.L * self.s.square().sum(dim=1) / (2 * steepness)


def bowl(share: float) -> Given:
    """x²/2 from 1: the value is the same again after a step of length 2."""
    one = torch.ones(1, dtype=torch.float64)
    return Given(lambda x: 0.5 * x.square().sum(), 1.0, one, -one[None], 2 * share * one)


def at_a_right_angle() -> Given:
    """A step at a right angle to the gradient of x₁ + x₂² increases the function."""
    x, s = torch.zeros(2, dtype=torch.float64), torch.tensor([[0.0, 1.0]], dtype=torch.float64)
    return Given(lambda x: x[0] + x[1] ** 2, 2.0, x, s, torch.full_like(s[0, :1], 0.5))


class DescentDirection(Claim[Given]):
    n: int = 40  # directions
    d: int = option(2, low=2)  # dimension
    m: int = 4  # waves that are added up

    relation = at_most(ulps=8)  # two values of f are compared
    supposes = (
        Suppose(
            "the angle between each direction and -grad f is below 90°",
            lambda g: all(is_descent_direction(gradient(g.f, g.x), v) for v in g.s),
            without=at_a_right_angle,
        ),
        Suppose(
            "each step is shorter than 2|grad f·s|/(L|s|²)",
            lambda g: bool(g.share.isinf().any()) or 1 - g.share.max(),
            "A step that is 1.5 times too long crosses the bowl and increases the function.",
            lambda: bowl(1.5),
        ),
    )
    symbols = "f(x)", "f(x + as)"
    shows = Along(
        "Short steps at less than 90° to −∇f decrease f",
        x="length of the step / longest that is sure to descend",
        at="share",
        without=False,
    )

    def given(self, rng: Generator) -> Given:
        o, x, s = hills(self.m, self.d, rng), normal(rng, self.d), normal(rng, self.n, self.d)
        s = -(s @ gradient(o.f, x)).sign()[:, None] * s
        unit = Given(o.f, o.L, x, s, torch.ones(self.n, dtype=torch.float64))
        return unit._replace(a=(0.02 + 0.96 * uniform(rng, self.n)) / unit.share)

    def predict(self, given: Given) -> float:
        return float(given.f(given.x))

    def measure(self, given: Given) -> list[float]:
        return torch.vmap(given.f)(given.x + given.a[:, None] * given.s).tolist()

    def tight(self) -> Given:
        """Almost across a bowl, where f is what it was."""
        return bowl(0.999)
