r"""Barron's constant of a Gaussian density dies out or explodes with the dimension.

.. math:: \frac{C_{d+1}}{C_d}\to\frac1{\sqrt{2\pi\sigma^2}}

for the densities of :math:`N(0,\sigma^2I_d)`: exponential decay if :math:`2\pi\sigma^2>1`, growth
if it is less. Barron's rate has no dimension in it, but its constant may. The same bump with height
1 has a constant that grows like :math:`\sqrt d`, with ratios that tend to 1.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.4, Problem 1c.
:kind: limit
:cost: instant
:covers: barron-gaussian
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Hypothesis, Level, Points, Series, converges, option
from corollary.theory.approximation.barron import barron_constant

DIMENSIONS = (1, 2, 4, 8, 16, 32)


class Given(NamedTuple):
    """The height of a bump in each dimension, and the seed of the rays."""

    height: Callable[[int], float]
    rng: Generator


@dataclass(frozen=True)
class BarronGaussianDimension(Claim[Given]):
    """Ratios of constants of neighbouring dimensions, by quadrature."""

    sigma: float = option(0.5, low=0.3, high=1.0)  # standard deviation
    relation = converges(gap=0.03)  # the ratio is off by 1/(2d) of itself, d = 32

    def given(self, rng: Generator) -> Given:
        """Densities."""
        return Given(lambda d: (2 * math.pi * self.sigma**2) ** (-d / 2), rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Height times width is one."""
        whole = [given.height(d) * (2 * math.pi * self.sigma**2) ** (d / 2) for d in DIMENSIONS]
        yield Hypothesis("f integrates to 1 in every dimension",
                         all(math.isclose(v, 1.0) for v in whole))  # fmt: skip

    def predict(self, given: Given) -> float:
        """The limit of the ratios."""
        return (2 * math.pi * self.sigma**2) ** -0.5

    def measure(self, given: Given) -> Series:
        """Ratios."""
        return Series(DIMENSIONS, self._ratios(given))

    def counterexample(self, rng: Generator) -> Given:
        """Bumps of height 1."""
        return Given(lambda d: 1.0, rng)

    def figure(self, given: Given) -> Figure:
        """Ratios over the dimension."""
        return Figure(
            f"Each dimension costs a factor, σ = {self.sigma:g}",
            x="d",
            y="C(d + 1) / C(d)",
            log_x=True,
            marks=(
                Points(DIMENSIONS, self._ratios(given), label="by quadrature"),
                Level(self.predict(given), label="1/√(2πσ²)"),
            ),
        )

    def _ratios(self, given: Given) -> list[float]:
        def constant(d: int) -> float:
            scale = given.height(d) * (2 * math.pi * self.sigma**2) ** (d / 2)

            def fhat(w: Tensor) -> Tensor:
                return scale * torch.exp(-2 * (math.pi * self.sigma) ** 2 * (w**2).sum(1))

            return barron_constant(fhat, d, directions=1, rng=given.rng).value

        return [constant(d + 1) / constant(d) for d in DIMENSIONS]
