r"""Averaging the iterates of SGD.

Let SGD run with steps :math:`\eta_k=c\,k^{-a}`, :math:`\frac12<a<1`, on a strongly convex problem.
The last iterate has :math:`\mathbb E\|x_k-x^*\|^2\propto k^{-a}`; the mean of all iterates,
:math:`\bar x_{k+1}=\frac k{k+1}\bar x_k+\frac1{k+1}x_{k+1}`, has the best order there is,

.. math:: \mathbb E\|\bar x_k-x^*\|^2\propto k^{-1},

whatever c and a are.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.7; Polyak and Juditsky (1992),
    "Acceleration of stochastic approximation by averaging", Theorem 1.
:kind: rate
:cost: instant
:covers: polyak-ruppert
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, squares
from corollary.theory.optimization.stochastic.schedules import power


class Given(NamedTuple):
    """A problem, the step sizes, and the seed of the batches."""

    problem: FiniteSum
    c: float
    a: float
    seed: int


@dataclass(frozen=True)
class PolyakRuppert(Claim[Given]):
    """The error of the mean at steps that double."""

    a: float = option(0.6, low=0.55, high=0.7)  # power of the step sizes
    c: float = option(0.7, low=0.6, high=1.0)  # first step size
    n: int = option(20, low=4)  # functions
    runs: int = option(600, low=100, high=10_000)  # runs
    steps: int = option(2048, low=1024, high=100_000)  # steps of a run
    relation = slope(gap=0.2)  # five sizes, each known to 5 %, and what is left of the start

    def given(self, rng: Generator) -> Given:
        """The mean of n numbers, from noisy gradients."""
        y = torch.randn(self.n, generator=rng, dtype=torch.float64)
        y = (y - y.mean()) / y.std(correction=0)
        problem = squares(torch.ones(self.n, 1, dtype=torch.float64), y)
        seed = int(torch.randint(2**62, (), generator=rng))
        return Given(problem, float(self.c), float(self.a), seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The power."""
        yield Hypothesis("the power a of the step sizes lies in (1/2, 1)", 0.5 < given.a < 1)

    def predict(self, given: Given) -> float:
        """The exponent."""
        return -1.0

    def measure(self, given: Given) -> Series:
        """Mean squared errors of the averaged iterate."""
        sizes = [self.steps >> j for j in range(4, -1, -1)]
        return Series(sizes, self._errors(given, sizes)[1].mean(dim=1).tolist())

    def counterexample(self, rng: Generator) -> Given:
        """Steps that shrink like 1/k, with a small constant: the start is never forgotten."""
        return self.given(rng)._replace(a=1.0, c=0.15)

    def figure(self, given: Given) -> Figure:
        """Last iterate and mean."""
        sizes = [self.steps >> j for j in range(8, -1, -1)]
        last, mean = self._errors(given, sizes)
        low, high = _interval(mean)
        wide, wider = _interval(last)
        centre = mean.mean(dim=1)
        line = [float(centre[-1]) * sizes[-1] / k for k in sizes]
        return Figure(
            "The mean of the iterates forgets the noise",
            x="k",
            y="mean squared error",
            log_x=True,
            log_y=True,
            marks=(
                Curve(line, sizes, "1/k, through the last point", "predicted"),
                Points(sizes, centre, "mean of the iterates", "measured", low, high),
                Points(sizes, last.mean(dim=1), "last iterate", "other", wide, wider),
            ),
        )

    def _errors(self, given: Given, keep: list[int]) -> tuple[Tensor, Tensor]:
        rng = torch.Generator().manual_seed(given.seed)
        centre = given.problem.minimiser
        x0 = centre + torch.ones(self.runs, 1, dtype=torch.float64)
        runs = sgd(given.problem, x0, power(given.c, given.a), max(keep), keep=keep, rng=rng)
        square = [(x - centre).square().sum(dim=-1) for x in (runs.x, runs.mean)]
        return square[0], square[1]


def _interval(error: Tensor) -> tuple[Tensor, Tensor]:
    half = 2.6 * error.std(dim=1) / error.shape[1] ** 0.5
    mean = error.mean(dim=1)
    return (mean - half).clamp(min=1e-12), mean + half
