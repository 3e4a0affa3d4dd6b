r"""Descent lemma.

For L-smooth f a gradient step :math:`x^+=x-\eta\nabla f(x)` brings at least

.. math:: f(x)-f(x^+)\ge\eta\Bigl(1-\frac{\eta L}2\Bigr)\|\nabla f(x)\|^2,

which is positive for :math:`\eta<2/L`, largest, :math:`\|\nabla f\|^2/(2L)`, at
:math:`\eta=1/L`, and at least :math:`\frac\eta2\|\nabla f\|^2` up to there. It is an equality for
:math:`\frac L2\|x\|^2`.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 39, (5.5); Perez Jensen (2025), Deep
    Learning, Section 3.2.
:kind: bound
:uses: quadratic_upper_bound
:covers: descent-lemma
:erratum: [typo] Section 3.2 of Perez Jensen's notes writes the sufficient decrease as an equality;
    it is a lower bound of the decrease: theta^2/2 is 2-smooth, and from 1 with step 1/2 it drops
    by 0.375 > 0.25.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import Function, hills
from corollary.core import Claim, Suppose, Sweep, at_least, normal, option
from corollary.theory.optimization.smoothness_bounds import descent
from corollary.theory.prerequisites.gradients import gradient
from corollary.theory.prerequisites.smoothness import hessian_norm


class Given(NamedTuple):
    f: Function
    L: float  # smoothness of f
    x: Float[Tensor, "n d"]
    eta: float  # learning rate


def quartic() -> Given:
    """A quartic is not L-smooth for any L, and the step increases it."""
    x = torch.tensor([[2.0]], dtype=torch.float64)
    return Given(lambda x: (x**4).sum(), 1.0, x, 1.0)


class DescentLemma(Claim[Given]):
    n: int = 13  # points
    d: int = 2  # dimension
    m: int = 3  # waves that are added up
    share: float = option(1.0, low=0.01, high=1.99)  # the step in units of 1/L

    relation = at_least(ulps=2**10, scale=1.0)  # a difference of two values of size 10
    supposes = Suppose(
        "f is L-smooth at the points",
        lambda g: g.L * (1 + 1e-9) - max(hessian_norm(g.f, x) for x in g.x),
        without=quartic,
    )
    symbols = "η(1 − ηL/2)‖∇f‖²", "f(x) − f(x − η∇f(x))"
    shows = Sweep("Decrease of f in one step", "share", (0.1, 0.55, 1.0, 1.45, 1.9), x="ηL", log="")

    def given(self, rng: Generator) -> Given:
        o = hills(self.m, self.d, rng)
        return Given(o.f, o.L, 2 * normal(rng, self.n, self.d), self.share / o.L)

    def predict(self, given: Given) -> list[float]:
        return [descent(given.f, x, given.eta, given.L).guaranteed for x in given.x]

    def measure(self, given: Given) -> list[float]:
        f, _, points, eta = given
        return [float(f(x) - f(x - eta * gradient(f, x))) for x in points]

    def tight(self) -> Given:
        """A parabola of curvature L."""
        x = torch.ones(1, 1, dtype=torch.float64)
        return Given(lambda x: x.square().sum(), 2.0, x, 0.25)
