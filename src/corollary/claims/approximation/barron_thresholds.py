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
:cost: instant
:covers: barron-threshold-representation
:erratum: [loose] Theorem 26 says "for bounded ||w||"; w is integrated over R^d, and this is no
    hypothesis. ||x|| <= 1 is the one that is needed: the counterexample here is x = 2.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Band, Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.approximation.representations import threshold_representation
from corollary.theory.approximation.spectra import GaussianBump


class Given(NamedTuple):
    """A bump in one dimension and points."""

    f: GaussianBump
    x: Float[Tensor, "n 1"]


@dataclass(frozen=True)
class BarronThresholds(Claim[Given]):
    """The double integral by quadrature, against the increments of the function."""

    sigma: float = option(0.5, low=0.3, high=2.0)  # width of the bump
    relation = equals(ulps=2**20, scale=1.0)  # Gauss rules with an edge at the jump

    def given(self, rng: Generator) -> Given:
        """A bump off the origin, and points of the interval."""
        centre = torch.rand(1, generator=rng, dtype=torch.float64) - 0.5
        x = 2 * torch.rand(12, 1, generator=rng, dtype=torch.float64) - 1
        return Given(GaussianBump(centre, self.sigma), x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Inside the ball."""
        far = float(given.x.abs().max())
        yield Hypothesis("the points lie in the unit ball", far <= 1, f"largest {far:.3g}")

    def predict(self, given: Given) -> list[float]:
        """Increments."""
        return (given.f(given.x) - given.f(torch.zeros_like(given.x[:1]))).tolist()

    def measure(self, given: Given) -> list[float]:
        """The mixture."""
        return self._mixture(given.f, given.x).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Twice as far."""
        given = self.given(rng)
        return given._replace(x=2 * given.x.sign())

    def figure(self, given: Given) -> Figure:
        """Inside and outside."""
        x = torch.linspace(-1.8, 1.8, 73, dtype=torch.float64)[:, None]
        origin = given.f(torch.zeros_like(x[:1]))
        return Figure(
            "A bump made of thresholds, on the unit ball",
            x="x",
            y="f(x) − f(0)",
            marks=(
                Curve(given.f(x) - origin, x[:, 0], label="f(x) − f(0)", role="predicted"),
                Points(x[:, 0], self._mixture(given.f, x), label="mixture of thresholds"),
                Band([-1.0, 1.0], [-0.95] * 2, [0.25] * 2, label="unit ball", role="other"),
            ),
        )

    def _mixture(self, f: GaussianBump, x: Tensor) -> Tensor:
        reach = 6.5 / (2 * math.pi * self.sigma)
        return threshold_representation(f, x, reach=reach, panels=32, strict=False)
