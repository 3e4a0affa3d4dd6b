r"""Piecewise-constant approximation on cubes.

If :math:`|g(x)-g(x')|\le\epsilon` whenever :math:`\|x-x'\|_\infty\le\delta`, and U is partitioned
into rectangles :math:`R_i` of sides at most :math:`\delta`, then for any :math:`x_i\in R_i`

.. math:: h=\sum_ig(x_i)\,\mathbb{1}_{R_i}\quad\text{satisfies}\quad\sup_U|g-h|\le\epsilon .

With :math:`x_i` in the centre the modulus at :math:`\delta/2` suffices. The norm matters: a cube of
side :math:`\delta` has Euclidean diameter :math:`\delta\sqrt d`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Lemma 15; Telgarsky (2021), Deep
    learning theory lecture notes.
:kind: bound
:cost: instant
:covers: piecewise-constant-lemma
:erratum: [missing hypothesis] Lemma 15 takes delta from Theorem 14, which has none; the condition
    of Theorem 16 is meant, printed with ||x - x'|| <= delta, Euclidean by the notes' convention.
    With that norm the lemma fails: the counterexample here is g = sum x_i / sqrt(d), which moves by
    delta within Euclidean distance delta and by delta sqrt(d) on a cube of side delta (d = 9: an
    error of 3 eps from a corner, and 1.5 eps from the best constant).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Histogram, Hypothesis, Level, at_most, generator, option
from corollary.data.waves import random_wave
from corollary.models.approximators.steps import piecewise_constant
from corollary.theory.approximation.grids import modulus_of_continuity


class Given(NamedTuple):
    """A target, the side of the cubes, what it moves by on them, and points to look at."""

    g: Callable[[Tensor], Tensor]
    delta: float
    eps: float
    x: Float[Tensor, "n d"]


@dataclass(frozen=True)
class PiecewiseConstantLemma(Claim[Given]):
    """The sup error of a table of values on cubes."""

    d: int = option(3, low=1, high=6)  # dimension
    cells: int = option(8, low=2, high=20)  # cubes along each axis
    where: Literal["corner", "centre"] = "corner"  # the point of a cube at which g is read
    relation = at_most(ulps=64)  # the values are sums of d sines

    def given(self, rng: Generator) -> Given:
        """A wave with Lipschitz constant 1 in the sup norm."""
        wave = random_wave(self.d, 1.0, rng=rng)
        x = torch.rand(100_000, self.d, generator=rng, dtype=torch.float64)
        return Given(wave, 1 / self.cells, wave.lipschitz / self.cells, x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The modulus in the sup norm, tested on pairs."""
        d = given.x.shape[1]
        moved = modulus_of_continuity(given.g, given.delta, d, rng=generator(0, "pairs"))
        yield Hypothesis("g moves by at most eps within sup distance delta",
                         moved <= given.eps * (1 + 1e-9), f"moved by {moved:.3g}")  # fmt: skip

    def predict(self, given: Given) -> float:
        """What g moves by on a cube."""
        return given.eps

    def measure(self, given: Given) -> float:
        """The largest difference at drawn points."""
        return float(_differences(self, given).max())

    def counterexample(self, rng: Generator) -> Given:
        """A modulus in the Euclidean norm."""
        d = 9
        x = torch.rand(20_000, d, generator=rng, dtype=torch.float64)
        return Given(lambda t: t.sum(1) / d**0.5, 0.5, 0.5, x)

    def figure(self, given: Given) -> Figure:
        """How the differences spread below the bound."""
        return Figure(
            "A table on cubes errs by no more than g moves on a cube",
            x="|g(x) − h(x)|",
            y="density over U",
            marks=(
                Histogram(_differences(self, given), label="drawn points"),
                Level(given.eps, label="ε", axis="x"),
            ),
        )


def _differences(claim: PiecewiseConstantLemma, given: Given) -> Tensor:
    d = given.x.shape[1]
    table = piecewise_constant(given.g, d, given.delta, where=claim.where)
    return (table(given.x) - given.g(given.x)).abs().detach()
