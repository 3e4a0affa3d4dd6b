r"""Barron's constant of a Gaussian density vanishes or explodes as the dimension grows.

.. math:: \frac{C_{d+1}}{C_d}\to\frac1{\sqrt{2\pi\sigma^2}}

for the densities of :math:`N(0,\sigma^2I_d)`: exponential decay if :math:`2\pi\sigma^2>1`, growth
if it is less. Barron's rate has no dimension in it, but its constant may. The same bump with height
1 has a constant that grows like :math:`\sqrt d`, with ratios that tend to 1.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.4, Problem 1c.
:kind: limit
:uses: barron_gaussian
:covers: barron-gaussian
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Over, Series, Suppose, converges, option
from corollary.theory.approximation.barron import barron_constant
from corollary.theory.approximation.spectra import GaussianBump

DIMENSIONS = (1, 2, 4, 8, 16, 32)


class Given(NamedTuple):
    f: Callable[[int], GaussianBump]  # a bump in each dimension


def bump(d: int, sigma: float, whole: float) -> GaussianBump:
    """A bump at the origin with this integral."""
    height = whole * (2 * math.pi * sigma**2) ** (-d / 2)
    return GaussianBump(torch.zeros(d, dtype=torch.float64), sigma, height)


class BarronGaussianDimension(Claim[Given]):
    sigma: float = option(0.5, low=0.3, high=1.0)  # standard deviation

    relation = converges(gap=0.03)  # the ratio is off by 1/(2d) of itself, d = 32
    supposes = (
        Suppose(
            "f integrates to 1 in every dimension",
            lambda g: all(
                math.isclose(g.f(d).modulus(torch.zeros(1, d)).item(), 1.0) for d in DIMENSIONS
            ),
            "If the Gaussians have height 1, the constant grows only like √d.",
            lambda self: Given(
                lambda d: bump(d, self.sigma, (2 * math.pi * self.sigma**2) ** (d / 2))
            ),
        ),
        Suppose(
            "f has the same width in every dimension",
            lambda g: len({g.f(d).sigma for d in DIMENSIONS}) == 1,
            "If the width shrinks like 1/√d, the ratios grow without limit.",
            f=lambda g: lambda d: bump(d, g.f(1).sigma / d**0.5, 1.0),
        ),
    )
    symbols = "1/√(2πσ²)", "C(d + 1) / C(d)"
    shows = Over("Each dimension multiplies the constant by a factor", x="dimension d", log="xy")

    def given(self, rng: Generator) -> Given:
        return Given(lambda d: bump(d, self.sigma, 1.0))

    def predict(self, given: Given) -> float:
        return 1 / math.sqrt(2 * math.pi * self.sigma**2)

    def measure(self, given: Given, rng: Generator) -> Series:
        def constant(d: int) -> float:
            return barron_constant(given.f(d).modulus, d, directions=1, rng=rng).value

        return Series(DIMENSIONS, [constant(d + 1) / constant(d) for d in DIMENSIONS])
