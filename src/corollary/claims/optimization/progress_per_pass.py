r"""SGD makes more progress per pass than gradient descent on redundant data.

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
:uses: gd_strongly_convex, minibatch_variance
:covers: batch-size-study
:loose: The claim compares two methods, and the inequality need not be tight.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, at_most, normal, option
from corollary.theory.optimization.methods.heavy_ball import HeavyBall
from corollary.theory.optimization.methods.method import trajectory
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, duplicated, squares
from corollary.theory.optimization.stochastic.noise import gradient_noise


class Given(NamedTuple):
    problem: FiniteSum
    x0: Float[Tensor, " d"]
    eta: float  # learning rate of SGD


def repetitions(given: Given) -> float:
    """How often a function occurs on average, over ten."""
    rows = torch.cat([given.problem.A, given.problem.b[:, None]], dim=1)
    return given.problem.n / len(torch.unique(rows, dim=0)) - 9.999


def far(given: Given) -> tuple[bool, str]:
    """The gap of the start against the noise of a step at the minimum."""
    o = given.problem
    gap = float(o.value(given.x0)) - o.minimum
    noise = given.eta * float(gradient_noise(o, o.minimiser).variance)
    return gap > 1e3 * noise, f"gap {gap:.3g}, noise {noise:.3g}"


def four_functions(copies: int = 1) -> Given:
    """There are four functions and no copies, so a pass has only four short steps."""
    X = torch.eye(2, dtype=torch.float64).repeat(2, 1)
    y = torch.tensor([1.0, 1.0, -1.0, -1.0], dtype=torch.float64)
    x0 = torch.full((2,), 1e3 if copies == 1 else 1e-3, dtype=torch.float64)
    return Given(duplicated(squares(X, y), copies), x0, 0.1)


class ProgressPerPass(Claim[Given]):
    distinct: int = option(10, low=4)  # functions that differ
    copies: int = option(20, low=10, high=1000)  # copies of each function
    d: int = option(3, low=2)  # dimension
    passes: int = option(3, low=1, high=20)  # passes over the data
    share: float = option(0.1, low=0.01, high=0.2)  # the step of SGD in units of 1/max Lᵢ
    runs: int = option(100, low=20, high=5000)  # runs of SGD

    relation = at_most(level=0.999)  # the expectation of SGD is a mean over the runs
    supposes = (
        Suppose("each function occurs at least ten times", repetitions, without=four_functions),
        Suppose(
            "the gap at the start is far above the noise",
            far,
            "If SGD starts near the minimum, its noise exceeds its progress.",
            lambda: four_functions(copies=20),
        ),
    )
    symbols = "gradient descent", "SGD"
    shows = Along(
        "Progress in one pass over the data",
        x="passes over the data",
        y="f(x) − f*",
        first=1,
        log="y",
        without=False,
    )

    def given(self, rng: Generator) -> Given:
        X = normal(rng, self.distinct, self.d)
        X[:, 0] += 3  # a mean in the data: the stiff direction
        problem = duplicated(squares(X, 0.1 * normal(rng, self.distinct)), self.copies)
        return Given(problem, problem.minimiser + 3, self.share / float(X.square().sum(1).max()))

    def predict(self, given: Given) -> list[float]:
        o = given.problem
        path = trajectory(HeavyBall(1 / o.L, 0.0), o.gradient, given.x0, self.passes)
        return (o.value(path[1:]) - o.minimum).tolist()

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        o, x0 = given.problem, given.x0.expand(self.runs, -1).contiguous()
        keep = [o.n * (e + 1) for e in range(self.passes)]
        runs = sgd(o, x0, given.eta, max(keep), keep=keep, rng=rng)
        return [Sample(gaps) for gaps in o.value(runs.x) - o.minimum]
