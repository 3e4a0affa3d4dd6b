r"""The error of m threshold units falls like 1/m.

For a Lipschitz function that is not constant, the network with m equal steps that meets g in the
middle of each has

.. math:: \sup_{[0,1]}|f_m-g|\asymp m^{-1},

and no function that is constant on m equal steps does better than half the variation of g on a
step. A function that jumps between the knots does not converge at all.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Theorem 14; Telgarsky (2021),
    Deep learning theory lecture notes.
:kind: rate
:cost: instant
:covers: threshold-network-1d
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.data.waves import random_wave
from corollary.models.approximators.steps import piecewise_constant

GRID = torch.linspace(0, 1, 20_011, dtype=torch.float64)[:, None]


class Given(NamedTuple):
    """A target on [0, 1]."""

    g: Callable[[Tensor], Tensor]  # points (n, 1) to values


@dataclass(frozen=True)
class ThresholdRate(Claim[Given]):
    """The exponent of the sup error in the number of steps."""

    sizes: tuple[int, ...] = (16, 32, 64, 128, 256)  # numbers of steps
    rho: float = option(5.0, low=0.1, high=100.0)  # Lipschitz constant of the target
    relation = slope(gap=0.1)  # where the steepest place falls within a step changes the constant

    def given(self, rng: Generator) -> Given:
        """A drawn wave."""
        return Given(random_wave(1, self.rho, rng=rng))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Finite slopes, and not all of them zero."""
        slopes = torch.diff(given.g(GRID)).abs() * (len(GRID) - 1)
        steepest = float(slopes.max())
        yield Hypothesis("g is Lipschitz", steepest <= 3 * self.rho, f"slope {steepest:.3g}")
        yield Hypothesis("g is not constant", steepest > 0)

    def predict(self, given: Given) -> float:
        """The exponent."""
        return -1.0

    def measure(self, given: Given) -> Series:
        """Sup errors at growing numbers of steps."""
        return Series(self.sizes, _errors(given, self.sizes))

    def counterexample(self, rng: Generator) -> Given:
        """A jump between the knots."""
        wave = random_wave(1, self.rho, rng=rng)
        at = 1 / 3  # never a knot: its binary expansion does not end
        return Given(lambda x: wave(x) / 100 + (x[:, 0] >= at).to(x.dtype))

    def figure(self, given: Given) -> Figure:
        """Errors over the number of steps."""
        errors = _errors(given, self.sizes)
        guide = [errors[0] * self.sizes[0] / m for m in self.sizes]
        return Figure(
            "One over the number of units",
            x="m",
            y="sup |f − g|",
            log_x=True,
            log_y=True,
            marks=(
                Curve(guide, self.sizes, label="slope −1", role="predicted"),
                Points(self.sizes, errors, label="threshold network"),
            ),
        )


def _errors(given: Given, sizes: tuple[int, ...]) -> list[float]:
    target = given.g(GRID)
    tables = (piecewise_constant(given.g, 1, 1 / m) for m in sizes)
    return [float((table(GRID) - target).abs().max().detach()) for table in tables]
