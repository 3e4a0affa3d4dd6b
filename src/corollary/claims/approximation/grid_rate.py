r"""On a grid the error falls like the d-th root of the number of cells.

For a Lipschitz function of d variables that is not constant, the best function that is constant on
each of :math:`N=n^d` equal cubes has

.. math:: \sup_{[0,1]^d}|g-h|\asymp N^{-1/d}.

To halve the error takes :math:`2^d` times as many cells.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Lemma 15 and Remark 1; Telgarsky
    (2021), Deep learning theory lecture notes.
:kind: rate
:cost: instant
:covers: curse-of-dimensionality-grid
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Series,
    generator,
    option,
    slope,
)
from corollary.models.approximators.steps import piecewise_constant
from corollary.theory.approximation.grids import modulus_of_continuity


class Given(NamedTuple):
    """A target and points to look at."""

    g: Callable[[Tensor], Tensor]
    x: Float[Tensor, "n d"]


@dataclass(frozen=True)
class GridRate(Claim[Given]):
    """The exponent of the sup error in the number of cells."""

    d: int = option(3, low=1, high=5)  # dimension
    relation = slope(gap=0.08)  # the largest of many thousand drawn points stands for the sup

    def given(self, rng: Generator) -> Given:
        """A linear form with positive weights that sum to 1."""
        c = 0.5 + torch.rand(self.d, generator=rng, dtype=torch.float64)
        c = c / c.sum()
        x = torch.rand(60_000, self.d, generator=rng, dtype=torch.float64)
        corners = torch.where(x[:20_000] < 0.5, 1e-9, 1 - 1e-9).to(x.dtype)
        return Given(lambda t: t @ c, torch.cat([x, corners]))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The modulus at a small distance is small, and not zero."""
        d = given.x.shape[1]
        moved = modulus_of_continuity(given.g, 1e-3, d, rng=generator(0, "pairs"))
        yield Hypothesis("g is 1-Lipschitz in the sup norm", moved <= 1e-3 * (1 + 1e-9),
                         f"moved by {moved:.3g} within 0.001")  # fmt: skip
        yield Hypothesis("g is not constant", moved > 0)

    def predict(self, given: Given) -> float:
        """The exponent."""
        return -1 / given.x.shape[1]

    def measure(self, given: Given) -> Series:
        """Sup errors over the number of cells."""
        return Series(*_errors(given))

    def counterexample(self, rng: Generator) -> Given:
        """A jump inside the cells."""
        given = self.given(rng)
        return given._replace(g=lambda t: (t[:, 0] >= 1 / 3).to(t.dtype))

    def figure(self, given: Given) -> Figure:
        """Errors over cells, with the rates of other dimensions."""
        cells, errors = _errors(given)
        d = given.x.shape[1]
        guides = [
            Curve([errors[0] * (N / cells[0]) ** (-1 / k) for N in cells], cells,
                  label=f"slope −1/{k}", role="predicted" if k == d else "other", dashed=k != d)
            for k in sorted({1, 2, d, 8})
        ]  # fmt: skip
        return Figure(
            "The more dimensions, the slower the grid",
            x="N",
            y="sup |g − h|",
            log_x=True,
            log_y=True,
            marks=(*guides, Points(cells, errors, label=f"d = {d}")),
        )


def _errors(given: Given) -> tuple[list[float], list[float]]:
    d = given.x.shape[1]
    target = given.g(given.x)
    sides = (2, 4, 8, 16) if d > 1 else (4, 8, 16, 32)
    tables = [piecewise_constant(given.g, d, 1 / n) for n in sides]
    errors = [float((table(given.x) - target).abs().max().detach()) for table in tables]
    return [float(n**d) for n in sides], errors
