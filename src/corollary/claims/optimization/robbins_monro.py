r"""Steps of Robbins and Monro.

If the step sizes of SGD satisfy

.. math:: \sum_{i\ge1}\eta_i=\infty\qquad\text{and}\qquad\sum_{i\ge1}\eta_i^2<\infty ,

then on a strongly convex problem with bounded variance :math:`\mathbb E\|x_k-x^*\|^2\to0`. For
:math:`\eta_i=c\,i^{-a}` this means :math:`\frac12<a\le1`. With a constant step the error stops at a
height proportional to :math:`\eta`, and with :math:`a>1` all steps together are too short.

:source: Mathematical Foundations of Deep Learning (slides), Optimization; Robbins and Monro (1951),
    "A stochastic approximation method".
:kind: limit
:cost: instant
:covers: robbins-monro
:erratum: [typo] Both sums are printed up to k; a finite sum is never infinite, so the upper limit
    has to be infinity.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Band, Claim, Curve, Figure, Hypothesis, Series, converges, option
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, squares
from corollary.theory.optimization.stochastic.schedules import power, satisfies_robbins_monro


class Given(NamedTuple):
    """A problem, the power of the step sizes, and the seed of the batches."""

    problem: FiniteSum
    a: float
    seed: int


class RobbinsMonro(Claim[Given]):
    a: float = option(0.75, low=0.65, high=1.0)  # power of the step sizes
    c: float = option(1.0, low=0.5, high=1.0)  # first step size
    n: int = option(20, low=2)  # functions
    runs: int = option(200, low=20, high=5000)  # runs
    steps: int = option(1024, low=512, high=100_000)  # steps of a run
    relation = converges(gap=0.05)  # of a start at 4 and targets of variance 1

    def given(self, rng: Generator) -> Given:
        """The mean of n numbers, from noisy gradients."""
        y = torch.randn(self.n, generator=rng, dtype=torch.float64)
        y = (y - y.mean()) / y.std(correction=0)
        problem = squares(torch.ones(self.n, 1, dtype=torch.float64), y)
        return Given(problem, float(self.a), _seed(rng))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The two sums."""
        a = given.a
        yield Hypothesis("Σ η_i is infinite and Σ η_i² is finite", satisfies_robbins_monro(a))

    def predict(self, given: Given) -> float:
        """Zero."""
        return 0.0

    def measure(self, given: Given) -> Series:
        """Mean squared error at steps that double."""
        sizes = [self.steps >> j for j in range(8, -1, -1)]
        return Series(sizes, self._errors(given, sizes).mean(dim=1).tolist())

    def counterexample(self, rng: Generator) -> Given:
        """A constant step."""
        return self.given(rng)._replace(a=0.0)

    def figure(self, given: Given) -> Figure:
        """The error for four powers."""
        sizes = sorted({max(self.steps >> j, 1) for j in range(12)})
        marks: list[Band | Curve] = []
        for a in (0.0, given.a, 2.0):
            error = self._errors(given._replace(a=a), sizes)
            half = 2.6 * error.std(dim=1) / self.runs**0.5
            mean = error.mean(dim=1)
            if a == given.a:
                low = (mean - half).clamp(min=1e-9)
                marks.append(Band(sizes, low, mean + half, "99 % interval of the mean"))
            role = "measured" if a == given.a else "other"
            marks.append(Curve(mean, sizes, f"a = {a:g}", role, dashed=a == 2.0))
        expected = [self._expected(given.a, k) for k in sizes]
        marks.append(Curve(expected, sizes, f"exact recursion, a = {given.a:g}", "predicted", True))
        return Figure(
            "Steps that shrink, but not too fast",
            x="k",
            y="E‖x_k − x*‖²",
            log_x=True,
            log_y=True,
            marks=tuple(marks),
            caption="a = 0: a plateau. a = 2: stuck on the way. In between it converges.",
        )

    def _errors(self, given: Given, keep: list[int]) -> torch.Tensor:
        rng = torch.Generator().manual_seed(given.seed)
        x0 = given.problem.minimiser + torch.full((self.runs, 1), 2.0, dtype=torch.float64)
        c = self.c / 2 if given.a in (0.0, 2.0) else self.c  # c = 1 would forget the start at once
        runs = sgd(given.problem, x0, power(c, given.a), max(keep), keep=keep, rng=rng)
        return (runs.x - given.problem.minimiser).square().sum(dim=-1)

    def _expected(self, a: float, steps: int) -> float:
        """The error satisfies e <- (1 - eta)^2 e + eta^2 for targets of variance 1."""
        eta, error = power(self.c, a), 4.0
        for k in range(1, steps + 1):
            error = (1 - eta(k)) ** 2 * error + eta(k) ** 2
        return error


def _seed(rng: Generator) -> int:
    return int(torch.randint(2**62, (), generator=rng))
