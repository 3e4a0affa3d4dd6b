r"""Polyak-Ruppert averaging of the iterates of SGD.

Let SGD run with steps :math:`\eta_k=c\,k^{-a}`, :math:`\frac12<a<1`, on a strongly convex problem.
The last iterate has :math:`\mathbb E\|x_k-x^*\|^2\propto k^{-a}`; the mean of all iterates,
:math:`\bar x_{k+1}=\frac k{k+1}\bar x_k+\frac1{k+1}x_{k+1}`, has the best order there is,

.. math:: \mathbb E\|\bar x_k-x^*\|^2\propto k^{-1},

whatever c and a are.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.7; Polyak and Juditsky (1992),
    "Acceleration of stochastic approximation by averaging", Theorem 1.
:kind: rate
:uses: robbins_monro
:covers: polyak-ruppert
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Over, Series, Suppose, Trial, normal, option, slope
from corollary.core.picture import Marks, Points, picture
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, squares
from corollary.theory.optimization.stochastic.schedules import power


class Given(NamedTuple):
    problem: FiniteSum
    c: float  # learning rate of the first step
    a: float  # power of the learning rates


class PolyakRuppert(Claim[Given]):
    a: float = option(0.6, low=0.55, high=0.7)  # power of the learning rates
    c: float = option(0.7, low=0.6, high=1.0)  # learning rate of the first step
    n: int = option(20, low=4)  # functions
    runs: int = option(1000, low=100, high=10_000)  # runs
    steps: int = option(2048, low=1024, high=100_000)  # steps per run

    relation = slope(gap=0.2)  # five sizes, each known to 4 %, and what is left of the start
    supposes = Suppose(
        "the power a of the step sizes lies in (1/2, 1)",
        lambda g: (0.5 < g.a < 1, f"a = {g.a:g}"),
        "With steps 0.15/k, the iterates always depend on the start.",
        c=0.15,
        a=1.0,
    )
    symbols = "1/k", "mean of the iterates"
    predicts = -1.0
    shows = Over("Squared error of the mean of the iterates", x="k", y="E‖x − x*‖²")

    def given(self, rng: Generator) -> Given:
        y = normal(rng, self.n)
        y = (y - y.mean()) / y.std(correction=0)
        one = torch.ones(self.n, 1, dtype=torch.float64)
        return Given(squares(one, y), float(self.c), float(self.a))

    def measure(self, given: Given, rng: Generator) -> Kept:
        o, c, a = given
        keep = [self.steps >> j for j in range(4, -1, -1)]
        x0 = o.minimiser + torch.ones(self.runs, 1, dtype=torch.float64)
        runs = sgd(o, x0, power(c, a), self.steps, keep=keep, rng=rng)

        def error(x: Tensor) -> Series:
            return Series(keep, (x - o.minimiser).square().sum(dim=-1).mean(dim=1))

        return Kept(error(runs.mean), last=error(runs.x))

    @picture("Squared errors of the mean and of the last iterate", x="k", y="E‖x − x*‖²", log="xy")
    def marks(self, trial: Trial[Given]) -> Marks:
        mean, last = trial.measured, trial.kept.last
        yield Points(mean.sizes, mean.values, "mean of the iterates")
        yield Points(last.sizes, last.values, "last iterate", "other")
