r"""The thresholds of Barron's representation have mass at most 4πC.

.. math:: 2\pi\int|\hat f(w)|\int_{-\|w\|}^{\|w\|}\bigl|\sin(2\pi b+2\pi\theta(w))\bigr|\,db\,dw
   \le4\pi C_f=2\int\|\widehat{\nabla f}(w)\|\,dw

This is the sum of output weights of the network of infinite width on the unit ball, and what makes
its finite samples accurate. A ball of radius r costs r times as much.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 26 and proof of Theorem 27.
:kind: bound
:uses: barron_thresholds, fourier_gradient
:covers: barron-threshold-representation
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, option, uniform
from corollary.theory.approximation.representations import threshold_mass
from corollary.theory.approximation.spectra import GaussianBump


class Given(NamedTuple):
    centre: Float[Tensor, " d"]  # of the bumps
    r: float  # radius of the ball


class BarronThresholdMass(Claim[Given]):
    d: int = option(2, low=1, high=3)  # dimension
    widths: tuple[float, ...] = (0.2, 0.4, 0.8, 1.6)  # standard deviations of the bumps

    relation = at_most()  # quadrature is far more accurate than the bound is tight
    supposes = Suppose(
        "the ball has radius at most 1",
        lambda g: g.r <= 1,
        "For a ball of radius 4, the mass is up to four times as large.",
        r=4.0,
    )
    symbols = "4πC", "mass of the thresholds"
    rows = "σ = {widths}"
    shows = Along("Mass of the thresholds", x="σ of the bump", at="widths", log="xy")

    def given(self, rng: Generator) -> Given:
        return Given(uniform(rng, self.d), 1.0)

    def predict(self, given: Given) -> list[float]:
        return [4 * math.pi * GaussianBump(given.centre, s).constant for s in self.widths]

    def measure(self, given: Given) -> list[float]:
        panels = (200, 48, 12)[len(given.centre) - 1]
        return [
            threshold_mass(f, reach=8 / (2 * math.pi * f.sigma), panels=panels, r=given.r)
            for f in (GaussianBump(given.centre, s) for s in self.widths)
        ]

    def tight(self) -> Given:
        """A wide bump on a line, far from the origin: most sines are close to 1."""
        return Given(torch.tensor([2.0], dtype=torch.float64), 1.0)
