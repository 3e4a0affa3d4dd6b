r"""Robbins-Monro conditions: step sizes for which SGD converges.

If the step sizes of SGD satisfy

.. math:: \sum_{i\ge1}\eta_i=\infty\qquad\text{and}\qquad\sum_{i\ge1}\eta_i^2<\infty ,

then on a strongly convex problem with bounded variance :math:`\mathbb E\|x_k-x^*\|^2\to0`. For
:math:`\eta_i=c\,i^{-a}` this means :math:`\frac12<a\le1`. With a constant step the error stops at a
height proportional to :math:`\eta`, and with :math:`a>1` all steps together are too short.

:source: Mathematical Foundations of Deep Learning (slides), Optimization; Robbins and Monro (1951),
    "A stochastic approximation method".
:kind: limit
:uses: strong_convexity, sgd_step
:covers: robbins-monro
:erratum: [typo] Both sums are printed up to k; a finite sum is never infinite, so the upper limit
    has to be infinity.
"""

from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Over, Sample, Series, Suppose, converges, normal, option
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, squares
from corollary.theory.optimization.stochastic.schedules import power, power_sum_diverges


class Given(NamedTuple):
    problem: FiniteSum
    c: float  # learning rate of the first step
    a: float  # power of the learning rates


class RobbinsMonro(Claim[Given]):
    a: float = option(0.75, low=0.65, high=1.0)  # power of the learning rates
    c: float = option(1.0, low=0.5, high=1.0)  # learning rate of the first step
    n: int = option(20, low=4)  # functions
    d: int = option(2, low=1, high=4)  # dimension
    runs: int = option(200, low=20, high=5000)  # runs
    steps: int = option(4096, low=1024, high=100_000)  # steps per run

    relation = converges(gap=0.05)  # of a start at 4 and noise of variance 1
    supposes = (
        Suppose(
            "Σ η_i is infinite",
            lambda g: (power_sum_diverges(g.a), f"a = {g.a:g}"),
            "With steps c/i², the runs stop before they reach the minimum.",
            a=2.0,
        ),
        Suppose(
            "Σ η_i² is finite",
            lambda g: (not power_sum_diverges(2 * g.a), f"a = {g.a:g}"),
            "With a constant step, the error stops falling above zero.",
            a=0.0,
        ),
    )
    symbols = "0", "E‖x_k − x*‖², upper end of its 99 % interval"
    predicts = 0.0
    shows = Over("Squared error with Robbins-Monro step sizes", x="k", y="E‖x_k − x*‖²", log="xy")

    def given(self, rng: Generator) -> Given:
        X = normal(rng, self.n, self.d)
        X = X / X.norm(dim=1, keepdim=True)
        return Given(squares(X, normal(rng, self.n)), float(self.c), float(self.a))

    def measure(self, given: Given, rng: Generator) -> Series:
        o, c, a = given
        sizes = [self.steps >> j for j in range(8, -1, -1)]
        away = torch.full((self.runs, self.d), 2 / self.d**0.5, dtype=torch.float64)
        runs = sgd(o, o.minimiser + away, power(c, a), self.steps, keep=sizes, rng=rng)
        errors = (runs.x - o.minimiser).square().sum(dim=-1)
        return Series(sizes, [Sample(e).read(0.99).high for e in errors])
