r"""The thresholds of Barron's representation have mass at most 4 pi C.

.. math:: 2\pi\int|\hat f(w)|\int_{-\|w\|}^{\|w\|}\bigl|\sin(2\pi b+2\pi\theta(w))\bigr|\,db\,dw
   \le4\pi C_f=2\int\|\widehat{\nabla f}(w)\|\,dw

This is the sum of output weights of the network of infinite width on the unit ball, and what makes
its finite samples accurate. A ball of radius r costs r times as much.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 26 and proof of Theorem 27.
:kind: bound
:cost: instant
:covers: barron-threshold-representation
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most
from corollary.theory.approximation.representations import threshold_mass
from corollary.theory.approximation.spectra import GaussianBump

WIDTHS = (0.2, 0.4, 0.8, 1.6)


class Given(NamedTuple):
    """Where the bumps are, and the radius of the ball."""

    centre: float
    r: float


@dataclass(frozen=True)
class BarronThresholdMass(Claim[Given]):
    """The mass for bumps of several widths."""

    relation = at_most()  # quadrature is far more accurate than the bound is tight

    def given(self, rng: Generator) -> Given:
        """A place, and the unit ball."""
        return Given(float(torch.rand(1, generator=rng, dtype=torch.float64)), 1.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Thresholds for the unit ball only."""
        yield Hypothesis("the ball is the unit ball", given.r <= 1, f"r = {given.r:g}")

    def predict(self, given: Given) -> list[float]:
        """The bound."""
        return [4 * math.pi * _bump(given, s).constant for s in WIDTHS]

    def measure(self, given: Given) -> list[float]:
        """The mass."""
        return _masses(given)

    def counterexample(self, rng: Generator) -> Given:
        """A ball of radius 4."""
        return self.given(rng)._replace(r=4.0)

    def figure(self, given: Given) -> Figure:
        """Masses over widths, for two balls."""
        return Figure(
            "What the thresholds cost",
            x="σ of the bump",
            y="mass",
            log_x=True,
            log_y=True,
            marks=(
                Curve(self.predict(given), WIDTHS, label="4πC", role="predicted"),
                Curve(_masses(given), WIDTHS, label="unit ball"),
                Curve(_masses(given._replace(r=4.0)), WIDTHS, label="ball of radius 4",
                      role="other", dashed=True),
            ),
        )  # fmt: skip


def _bump(given: Given, sigma: float) -> GaussianBump:
    return GaussianBump(torch.tensor([given.centre], dtype=torch.float64), sigma)


def _masses(given: Given) -> list[float]:
    return [
        threshold_mass(_bump(given, s), reach=8 / (2 * math.pi * s), panels=200, r=given.r)
        for s in WIDTHS
    ]
