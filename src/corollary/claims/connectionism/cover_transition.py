r"""Separability falls at two points a dimension.

Label s points in general position in :math:`\mathbb R^n` by fair coin flips. The probability that a
hyperplane through the origin separates them is

.. math:: p(s, n) = \frac{C(s, n)}{2^s} = 2^{1-s}\sum_{i=0}^{n-1}\binom{s-1}{i},

the probability that a fair coin shows fewer than n heads in :math:`s - 1` throws. It is 1 for
:math:`s \le n` and exactly 1/2 at :math:`s = 2n`; as n grows it becomes a step at
:math:`s/n = 2` of width about :math:`1/\sqrt n`. Hence the capacity of a threshold unit: two
points a weight.

:source: Perez Jensen (2025), Deep Learning, Section 1.2; Cover (1965), "Geometrical and statistical
    properties of systems of linear inequalities", Section V.
:kind: experiment
:cost: instant
:covers: cover-capacity-transition
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Count,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Points,
    option,
    within_interval,
)
from corollary.theory.connectionism.cover import separable_labellings, separable_probability

LOADS = (1.0, 1.5, 2.0, 2.5, 3.0)  # s / n


class Given(NamedTuple):
    """Clouds and their labels, for each dimension and load."""

    x: list[Float[Tensor, "trials s n"]]
    y: list[Float[Tensor, "trials s"]]


@dataclass(frozen=True)
class CoverTransition(Claim[Given]):
    """The fraction of random labellings that are separable, against Cover's formula."""

    n: tuple[int, ...] = option((4, 16), low=1, high=40)  # dimensions
    trials: int = option(250, low=200, high=5000)  # random labellings at each size
    relation = within_interval(level=0.9999, resolution=0.17)  # 250 coin flips, ten sizes at once

    def given(self, rng: Generator) -> Given:
        """Gaussian points and fair labels."""
        x, y = [], []
        for n in self.n:
            for s in _sizes(n):
                x.append(torch.randn(self.trials, s, n, generator=rng, dtype=torch.float64))
                coins = torch.rand(self.trials, s, generator=rng) < 0.5
                y.append(torch.where(coins, -1.0, 1.0).double())
        return Given(x, y)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """General position, as far as windows of n points show; and fair labels."""
        worst = min(_least_volume(x) for x in given.x)
        yield Hypothesis(
            "every n consecutive points are linearly independent",
            worst > -60,  # below exp(-60) a volume of unit vectors is rounding
            f"least log volume {worst:.3g}",
        )
        labels = torch.cat([y.flatten() for y in given.y])
        fair = float(labels.sum().abs()) < 6 * len(labels) ** 0.5
        yield Hypothesis("labels are balanced as coin flips are", fair)

    def predict(self, given: Given) -> list[float]:
        """The fraction at each dimension and load."""
        return [float(separable_probability(x.shape[1], x.shape[2])) for x in given.x]

    def measure(self, given: Given) -> list[Count]:
        """How many of the labellings are separable."""
        signed = (y[:, :, None] * x for x, y in zip(given.x, given.y, strict=True))
        answers = [separable_labellings(z) for z in signed]
        return [Count(int(found.sum()), len(found)) for found in answers]

    def counterexample(self, rng: Generator) -> Given:
        """All points on one line: they count as points of the line, not of n dimensions."""
        x, y = self.given(rng)
        flat = [torch.cat([c[:, :, :1], torch.zeros_like(c[:, :, 1:])], dim=2) for c in x]
        return Given(flat, y)

    def figure(self, given: Given) -> Figure:
        """The fraction against s / n; the curves become a step."""
        marks: list[Curve | Points | Level] = [Level(2.0, "s = 2n", role="other", axis="x")]
        for n in (*self.n, 4 * max(self.n)):
            s = range(max(n // 2, 1), 4 * n + 1)
            curve = [float(separable_probability(k, n)) for k in s]
            marks.append(Curve(curve, [k / n for k in s], f"p(s, n), n = {n}", role="predicted"))
        counts = self.measure(given)
        for n in self.n:
            at = [i for i, x in enumerate(given.x) if x.shape[2] == n]
            read = [counts[i].read(0.95) for i in at]
            marks.append(
                Points(
                    [given.x[i].shape[1] / n for i in at],
                    [r.value for r in read],
                    label=f"random labellings, n = {n}",
                    low=[r.low for r in read],
                    high=[r.high for r in read],
                )
            )
        return Figure(
            "Two points a dimension", x="s / n", y="separable fraction", marks=tuple(marks)
        )


def _sizes(n: int) -> list[int]:
    return sorted({max(round(load * n), 1) for load in LOADS})


def _least_volume(x: Float[Tensor, "trials s n"]) -> float:
    """Log volume of the flattest window of n consecutive points, scaled to unit length."""
    unit = x / x.norm(dim=2, keepdim=True)
    windows = unit.unfold(1, x.shape[2], 1)  # s >= n at every load
    return float(torch.linalg.slogdet(windows).logabsdet.min())
