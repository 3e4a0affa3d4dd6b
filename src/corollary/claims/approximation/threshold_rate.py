r"""The error of m threshold units falls like 1/m.

For a Lipschitz function that is not constant, the network with m equal steps that meets g in the
middle of each has

.. math:: \sup_{[0,1]}|f_m-g|\asymp m^{-1},

and no function that is constant on m equal steps does better than half the variation of g on a
step. A function that jumps between the knots does not converge at all.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Theorem 14; Telgarsky (2021),
    Deep learning theory lecture notes.
:kind: rate
:uses: threshold_approximation
:covers: threshold-network-1d
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, instead, option, slope
from corollary.data.waves import random_wave
from corollary.models.approximators.steps import threshold_network

GRID = torch.linspace(0, 1, 20_011, dtype=torch.float64)[:, None]


class Given(NamedTuple):
    g: Callable[[Tensor], Tensor]  # points (n, 1) to values


def steepest(given: Given) -> Tensor:
    """The largest slope on the grid."""
    return given.g(GRID).diff().abs().max() * (len(GRID) - 1)


jump = instead(  # 1/3 is never a knot: its binary expansion does not end
    "If g jumps between two knots, the error does not fall.",
    g=lambda g: lambda x: (x[:, 0] >= 1 / 3).to(x.dtype),
)


class ThresholdRate(Claim[Given]):
    sizes: tuple[int, ...] = (16, 32, 64, 128, 256)  # numbers of steps
    rho: float = option(5.0, low=0.1, high=100.0)  # Lipschitz constant of the target

    relation = slope(gap=0.1)  # where the steepest place falls within a step changes the constant
    supposes = (
        Suppose("g is Lipschitz", lambda self, g: 3 * self.rho - steepest(g), without=jump),
        Suppose(
            "g is not constant",
            steepest,
            "A constant function has no error with a single unit.",
            g=lambda g: lambda x: 0 * x[:, 0],
        ),
    )
    symbols = "slope −1", "sup |f − g|"
    predicts = -1.0
    shows = Over("The sup error falls like one over the number of units", x="units m")

    def given(self, rng: Generator) -> Given:
        return Given(random_wave(1, self.rho, rng=rng))

    def measure(self, given: Given) -> Series:
        def error(m: int) -> float:
            net = threshold_network(given.g, self.rho, self.rho / (2 * m), values="middle")
            return float((net(GRID) - given.g(GRID)).detach().abs().max())

        return Series(self.sizes, [error(m) for m in self.sizes])
