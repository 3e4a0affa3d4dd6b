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
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.finite_sums import squares
from corollary.theory.optimization.stochastic.schedules import power


class Given(NamedTuple):
    """The step sizes, and squared errors of all runs at steps that double."""

    c: float
    a: float
    steps: list[int]
    last: Float[Tensor, "k r"]  # of the iterate
    mean: Float[Tensor, "k r"]  # of the mean of all iterates


class PolyakRuppert(Claim[Given]):
    a: float = option(0.6, low=0.55, high=0.7)  # power of the step sizes
    c: float = option(0.7, low=0.6, high=1.0)  # first step size
    n: int = option(20, low=4)  # functions
    runs: int = option(1000, low=100, high=10_000)  # runs
    steps: int = option(2048, low=1024, high=100_000)  # steps of a run
    relation = slope(gap=0.2)  # five sizes, each known to 4 %, and what is left of the start

    def given(self, rng: Generator) -> Given:
        """The mean of n numbers, from noisy gradients."""
        return self._followed(float(self.c), float(self.a), rng)

    def _followed(self, c: float, a: float, rng: Generator) -> Given:
        y = torch.randn(self.n, generator=rng, dtype=torch.float64)
        y = (y - y.mean()) / y.std(correction=0)
        problem = squares(torch.ones(self.n, 1, dtype=torch.float64), y)
        x0 = problem.minimiser + torch.ones(self.runs, 1, dtype=torch.float64)
        keep = [self.steps >> j for j in range(8, -1, -1)]
        runs = sgd(problem, x0, power(c, a), self.steps, keep=keep, rng=rng)
        last, mean = ((x - problem.minimiser).square().sum(dim=-1) for x in (runs.x, runs.mean))
        return Given(c, a, keep, last, mean)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The power."""
        yield Hypothesis("the power a of the step sizes lies in (1/2, 1)", 0.5 < given.a < 1)

    def predict(self, given: Given) -> float:
        """The exponent."""
        return -1.0

    def measure(self, given: Given) -> Series:
        """Mean squared errors of the averaged iterate, at the last five."""
        return Series(given.steps[-5:], given.mean[-5:].mean(dim=1).tolist())

    def counterexample(self, rng: Generator) -> Given:
        """Steps that shrink like 1/k, with a small constant: the start is never forgotten."""
        return self._followed(0.15, 1.0, rng)

    def figure(self, given: Given) -> Figure:
        """Last iterate and mean."""
        sizes, last, mean = given.steps, given.last, given.mean
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


def _interval(error: Tensor) -> tuple[Tensor, Tensor]:
    half = 2.6 * error.std(dim=1) / error.shape[1] ** 0.5
    mean = error.mean(dim=1)
    return (mean - half).clamp(min=1e-12), mean + half
