r"""What a pass over redundant data is worth.

A step of gradient descent reads all n functions, and so do n steps of SGD. If the data repeat
themselves (each function occurs many times) and the start is far from the noise floor, then SGD has
come further after the same number of passes:

.. math:: \mathbb E f(x^{\rm SGD}_{nE})-f^*\;\le\;f(x^{\rm GD}_E)-f^* .

Descent takes its best safe step 1/L; SGD takes a share of :math:`1/\max_iL_i`. Near the minimum, or
on data without repetition, the order may be the other one.

:source: Mathematical Foundations of Deep Learning (slides), Optimization; Lucchi (2025),
    Foundations of Deep Learning, Section 5.7; Bottou, Curtis and Nocedal (2018), "Optimization
    methods for large-scale machine learning", Section 3.3.
:kind: experiment
:cost: instant
:covers: batch-size-study
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Band, Claim, Curve, Figure, Hypothesis, Sample, at_most, option
from corollary.theory.optimization.methods.heavy_ball import HeavyBall
from corollary.theory.optimization.methods.method import trajectory
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, duplicated, squares
from corollary.theory.optimization.stochastic.noise import gradient_noise


class Given(NamedTuple):
    """A problem, a start, the step of SGD and the seed of the batches."""

    problem: FiniteSum
    x0: Float[Tensor, " d"]
    eta: float
    seed: int


class ProgressPerPass(Claim[Given]):
    distinct: int = option(10, low=4)  # functions that differ
    copies: int = option(20, low=10, high=1000)  # how often each is written down
    d: int = option(3, low=2)  # dimension
    passes: int = option(3, low=1, high=20)  # passes over the data
    share: float = option(0.1, low=0.01, high=0.2)  # the step of SGD in units of 1/max Lᵢ
    runs: int = option(100, low=20, high=5000)  # runs of SGD
    relation = at_most(level=0.999)  # the expectation of SGD is a mean over the runs

    def given(self, rng: Generator) -> Given:
        """Least squares with one stiff direction, written down many times."""
        X = torch.randn(self.distinct, self.d, generator=rng, dtype=torch.float64)
        X[:, 0] = X[:, 0] + 3  # a mean in the data: the stiff direction
        y = 0.1 * torch.randn(self.distinct, generator=rng, dtype=torch.float64)
        problem = duplicated(squares(X, y), self.copies)
        x0 = problem.minimiser + 3 * torch.ones(self.d, dtype=torch.float64)
        eta = self.share / float(X.square().sum(dim=1).max())
        return Given(problem, x0, eta, int(torch.randint(2**62, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Repetition, and a gap well above the noise."""
        o = given.problem
        different = len(torch.unique(torch.cat([o.A, o.b[:, None]], dim=1), dim=0))
        yield Hypothesis("each function occurs at least ten times", o.n >= 10 * different)
        gap = float(o.value(given.x0)) - o.minimum
        noise = given.eta * float(gradient_noise(o, o.minimiser).variance)
        detail = f"gap {gap:.3g}, noise {noise:.3g}"
        yield Hypothesis("the gap at the start is far above the noise", gap > 1e3 * noise, detail)

    def predict(self, given: Given) -> list[float]:
        """Gaps of gradient descent."""
        return self._descent(given, self.passes)[1:]

    def measure(self, given: Given) -> list[Sample]:
        """Gaps of SGD."""
        keep = [given.problem.n * (e + 1) for e in range(self.passes)]
        return [Sample(gaps) for gaps in self._stochastic(given, keep, 1)]

    def counterexample(self, rng: Generator) -> Given:
        """Started next to the minimum of a small, noisy problem."""
        X = torch.tensor([[1.0, 0.0], [0.0, 1.0]] * 2, dtype=torch.float64)
        y = torch.tensor([1.0, 1.0, -1.0, -1.0], dtype=torch.float64)
        x0 = torch.full((2,), 1e-3, dtype=torch.float64)
        return Given(squares(X, y), x0, 0.1, int(torch.randint(2**62, (), generator=rng)))

    def figure(self, given: Given) -> Figure:
        """Gap against passes for three batch sizes."""
        n, points = given.problem.n, 12 * self.passes
        keep = sorted({round(n * self.passes * j / points) for j in range(points + 1)})
        gaps = self._stochastic(given, keep, 1)
        at = [k / n for k in keep]
        batch = max(n // 12, 1)
        some = [k for k in range(n * self.passes // batch + 1)]
        middle = self._stochastic(given, some, batch).mean(dim=1)
        return Figure(
            "The same data, read once",
            x="passes over the data",
            y="f(x) − f*",
            log_y=True,
            marks=(
                Curve(
                    self._descent(given, self.passes), range(self.passes + 1), "descent, batch n",
                    "predicted",
                ),
                Band(at, *gaps.quantile(_TENTHS, dim=1), "batch 1, 80 % of the runs"),
                Curve(gaps.mean(dim=1), at, "SGD, batch 1"),
                Curve(middle, [k * batch / n for k in some], f"SGD, batch {batch}", "other"),
            ),
        )  # fmt: skip

    def _descent(self, given: Given, steps: int) -> list[float]:
        o = given.problem
        path = trajectory(HeavyBall(1 / o.L, 0.0), o.gradient, given.x0, steps)
        return (o.value(path) - o.minimum).tolist()

    def _stochastic(self, given: Given, keep: list[int], batch: int) -> Tensor:
        rng = torch.Generator().manual_seed(given.seed)
        x0 = given.x0.expand(self.runs, -1).contiguous()
        runs = sgd(given.problem, x0, given.eta, max(keep), batch=batch, keep=keep, rng=rng)
        return given.problem.value(runs.x) - given.problem.minimum


_TENTHS = torch.tensor([0.1, 0.9], dtype=torch.float64)
