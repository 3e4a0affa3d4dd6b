r"""A function on the unit ball is a mixture of thresholds.

If f and its transform are integrable, :math:`C_f<\infty` and :math:`\|x\|\le1`, then

.. math:: f(x)-f(0)=-2\pi\!\int\!\int_0^{\|w\|}\!\mathbb{1}[w\cdot x\ge b]\,s(b,w)\,db\,dw
   +2\pi\!\int\!\int_{-\|w\|}^0\!\mathbb{1}[w\cdot x\le b]\,s(b,w)\,db\,dw

with :math:`s(b,w)=\sin(2\pi b+2\pi\theta(w))\,|\hat f(w)|`. Outside the ball the thresholds end too
early, and the formula gives the value at the edge.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 26; Barron (1993), Universal
    approximation bounds for superpositions of a sigmoidal function; Telgarsky (2021), Deep learning
    theory lecture notes.
:kind: identity
:uses: barron_cosines, cauchy_schwarz
:covers: barron-threshold-representation
:erratum: [loose] Theorem 26 says "for bounded ||w||"; w is integrated over R^d, and this is no
    hypothesis. ||x|| <= 1 is the one that is needed: the counterexample here is x = 2.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option, uniform
from corollary.theory.approximation.representations import threshold_representation
from corollary.theory.approximation.spectra import GaussianBump


class Given(NamedTuple):
    f: GaussianBump  # a bump
    polar: GaussianBump  # another, whose transform is used
    u: Float[Tensor, " d"]  # direction
    t: Float[Tensor, " n"]  # places along it


class BarronThresholds(Claim[Given]):
    d: int = option(2, low=1, high=2)  # dimension
    sigma: float = option(0.5, low=0.3, high=2.0)  # width of the bump

    relation = equals(ulps=2**14, scale=1.0)  # Gauss rules with an edge at the jump
    supposes = (
        Suppose(
            "the points lie in the unit ball",
            lambda g: 1 - g.t.abs().max(),
            "The points lie outside the ball, beyond all thresholds.",
            t=lambda g: 2 * g.t,
        ),
        Suppose(
            "theta is the phase of f's transform",
            lambda g: torch.equal(g.polar.phase(g.u[None]), g.f.phase(g.u[None])),
            "Without the phase the formula is for a bump at the origin.",
            polar=lambda g: GaussianBump(0 * g.f.centre, g.f.sigma),
        ),
    )
    symbols = "f(x) − f(0)", "mixture of thresholds"
    shows = Along("A bump made of thresholds", x="place on a line through 0", at="t")

    def given(self, rng: Generator) -> Given:
        f = GaussianBump(uniform(rng, self.d) - 0.5, self.sigma)
        u = normal(rng, self.d)
        t = torch.linspace(-0.999, 0.999, 21, dtype=torch.float64)
        return Given(f, f, u / u.norm(), t)

    def predict(self, given: Given) -> Tensor:
        return given.f(given.t[:, None] * given.u) - given.f(0 * given.u[None])

    def measure(self, given: Given) -> Tensor:
        x, reach = given.t[:, None] * given.u, 7.5 / (2 * math.pi * self.sigma)
        return threshold_representation(given.polar, x, reach=reach, panels=24, strict=False)
