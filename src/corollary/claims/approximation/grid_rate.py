r"""On a grid the error falls like the d-th root of the number of cells.

For a Lipschitz function of d variables that is not constant, the best function that is constant on
each of :math:`N=n^d` equal cubes has

.. math:: \sup_{[0,1]^d}|g-h|\asymp N^{-1/d}.

To halve the error takes :math:`2^d` times as many cells.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Lemma 15 and Remark 1; Telgarsky
    (2021), Deep learning theory lecture notes.
:kind: rate
:uses: piecewise_constant
:covers: curse-of-dimensionality-grid
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, Sweep, option, slope, uniform
from corollary.models.approximators.steps import piecewise_constant


class Given(NamedTuple):
    g: Callable[[Tensor], Tensor]  # target
    x: Float[Tensor, "n d"]  # points to look at


def moved(given: Given) -> float:
    """How far g moves along a diagonal of 0.001 in the sup norm, at the most."""
    return float((given.g(given.x + 1e-3) - given.g(given.x)).abs().max())


class GridRate(Claim[Given]):
    d: int = option(3, low=1, high=5)  # dimension

    relation = slope(gap=0.08)  # the largest of many thousand drawn points stands for the sup
    supposes = (
        Suppose(
            "g is 1-Lipschitz in ‖·‖∞",
            lambda g: moved(g) <= 1e-3 * (1 + 1e-9),
            "If g jumps inside a cell, the error does not fall.",
            g=lambda g: lambda t: (t[:, 0] >= 1 / 3).to(t.dtype),
        ),
        Suppose(
            "g is not constant",
            moved,
            "A constant function has no error with a single cell.",
            g=lambda g: lambda t: 0 * t[:, 0],
        ),
    )
    symbols = "slope −1/d", "sup |g − h|"
    shows = (
        Over("Sup error of piecewise constants on a grid", x="cells N"),
        Sweep("The more dimensions, the slower the rate", "d", (1, 2, 3, 4), y="exponent", log=""),
    )

    def given(self, rng: Generator) -> Given:
        c = 0.5 + uniform(rng, self.d)
        c = c / c.sum()
        x = uniform(rng, 60_000, self.d)
        corners = torch.where(x[:20_000] < 0.5, 1e-9, 1 - 1e-9).to(x.dtype)
        return Given(lambda t: t @ c, torch.cat([x, corners]))

    def predict(self, given: Given) -> float:
        return -1 / self.d

    def measure(self, given: Given) -> Series:
        target, sides = given.g(given.x), (2, 4, 8, 16) if self.d > 1 else (4, 8, 16, 32)
        tables = [piecewise_constant(given.g, self.d, 1 / n) for n in sides]
        errors = [(table(given.x) - target).abs().max().detach() for table in tables]
        return Series([n**self.d for n in sides], errors)
