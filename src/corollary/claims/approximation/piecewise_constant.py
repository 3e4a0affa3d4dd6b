r"""Piecewise-constant approximation on cubes.

If :math:`|g(x)-g(x')|\le\epsilon` whenever :math:`\|x-x'\|_\infty\le\delta`, and U is partitioned
into rectangles :math:`R_i` of sides at most :math:`\delta`, then for any :math:`x_i\in R_i`

.. math:: h=\sum_ig(x_i)\,\mathbb{1}_{R_i}\quad\text{satisfies}\quad\sup_U|g-h|\le\epsilon .

With :math:`x_i` in the centre the modulus at :math:`\delta/2` suffices. The norm matters: a cube of
side :math:`\delta` has Euclidean diameter :math:`\delta\sqrt d`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Lemma 15; Telgarsky (2021), Deep
    learning theory lecture notes.
:kind: bound
:covers: piecewise-constant-lemma
:erratum: [missing hypothesis] Lemma 15 takes delta from Theorem 14, which has none; the condition
    of Theorem 16 is meant, printed with ||x - x'|| <= delta, Euclidean by the notes' convention.
    With that norm the lemma fails: the counterexample here is g = sum x_i / sqrt(d), which moves by
    delta within Euclidean distance delta and by delta sqrt(d) on a cube of side delta (d = 9: an
    error of 3 eps from a corner, and 1.5 eps from the best constant).
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, at_most, option, uniform
from corollary.core.picture import Histogram, Level, Marks, picture
from corollary.data.waves import random_wave
from corollary.models.approximators.steps import piecewise_constant


class Given(NamedTuple):
    g: Callable[[Tensor], Tensor]  # target
    delta: float  # within so much it moves by eps
    eps: float  # see delta
    side: float  # of the cubes
    x: Float[Tensor, "n d"]  # points to look at


def room(given: Given) -> float:
    """How much less than eps g moves along diagonals of length delta in the sup norm."""
    x = given.x * (1 - given.delta)
    return given.eps * (1 + 1e-9) - float((given.g(x + given.delta) - given.g(x)).abs().max())


def euclidean(rng: Generator) -> Given:
    """If δ is a Euclidean distance, the diagonal of a cube in nine dimensions is too long."""
    return Given(lambda t: t.sum(1) / 3, 0.5, 0.5, 0.5, uniform(rng, 20_000, 9))


class PiecewiseConstantLemma(Claim[Given]):
    d: int = option(3, low=1, high=6)  # dimension
    cells: int = option(8, low=2, high=20)  # cubes along each axis
    where: Literal["corner", "centre"] = "corner"  # the point of a cube at which g is read

    relation = at_most(ulps=64)  # the values are sums of d sines
    supposes = (
        Suppose("g changes by at most ε within sup distance δ", room, without=euclidean),
        Suppose(
            "the cubes have sides at most δ",
            lambda g: g.side <= g.delta,
            "On cubes that are four times as large, g changes by more than ε.",
            side=lambda g: 4 * g.side,
        ),
    )
    symbols = "ε", "sup |g − h|"

    def given(self, rng: Generator) -> Given:
        wave, side = random_wave(self.d, 1.0, rng=rng), 1 / self.cells
        x = uniform(rng, 100_000, self.d)
        return Given(wave, side, wave.lipschitz * side, side, x)

    def predict(self, given: Given) -> float:
        return given.eps

    def measure(self, given: Given) -> Kept:
        table = piecewise_constant(given.g, given.x.shape[1], given.side, where=self.where)
        off = (table(given.x) - given.g(given.x)).abs().detach()
        return Kept(float(off.max()), off=off)

    def tight(self) -> Given:
        """The mean of the coordinates, at the far corner of a cube."""
        x = torch.full((1, 4), 0.5 - 1e-12, dtype=torch.float64)
        return Given(lambda t: t.mean(1), 0.5, 0.5, 0.5, x)

    @picture(
        "The error is at most the change of g on a cube",
        x="|g(x) − h(x)|",
        y="density over U",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        yield Histogram(trial.kept.off, label="drawn points")
        yield Level(trial.given.eps, label="ε", axis="x")
