r"""Gradient descent approximates the gradient flow with an error of order 1/N.

Gradient descent is Euler's scheme for :math:`\dot x=-\nabla f(x)`. On a fixed interval [0, T] with
N steps of size :math:`\eta=T/N\le1/L` its distance to the flow is of first order:

.. math:: \|x_N-x(T)\|=O(\eta)=O(N^{-1}) .

For a strictly convex f with a minimiser all trajectories reach one point; for a non-convex f they
end in several.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.2 and Figure 5.2.
:kind: rate
:cost: seconds
:uses: taylor_remainder
:covers: gradient-flow
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import portrait
from corollary.core import Claim, Over, Series, Suppose, Trial, normal, option, slope, uniform
from corollary.core.picture import Marks, picture
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.gradient_flow import gradient_flow
from corollary.theory.optimization.objectives import Objective, quadratic, ridge_logistic, waves

STEPS = (8, 16, 32, 64, 128)


class Given(NamedTuple):
    objective: Objective
    x0: Float[Tensor, " d"]
    T: float  # length of the interval


def flows(objective: Objective, T: float) -> Marks:
    """The flow from six starts."""
    starts = [torch.tensor([a, b]).double() for a in (-2.4, 2.4) for b in (-2.4, 0.2, 2.4)]
    runs = [gradient_flow(objective.f, x, T, times=40, rtol=1e-5).x for x in starts]
    paths = [(x, f"flow {i}") for i, x in enumerate(runs, 1)]
    yield from portrait(objective.f, *paths, margin=5 / 3)


class EulerFlow(Claim[Given]):
    n: int = 20  # data points of the logistic loss
    T: float = option(2.0, low=0.1, high=5.0)  # length of the interval

    relation = slope(gap=0.1)  # the second-order term bends the line at 8 steps
    supposes = Suppose(
        "the longest step is at most 1/L",
        lambda g: 1 / g.objective.L - g.T / STEPS[0],
        "On a stiff quadratic all these steps are too long.",
        lambda g: Given(quadratic(torch.tensor([1, 1e3]).double().diag()), 1 + 0 * g.x0, 1.0),
    )
    symbols = "1/N", "‖x_N − x(T)‖"
    predicts = -1.0
    shows = Over("Distance between gradient descent and gradient flow", x="N steps", without=False)

    def given(self, rng: Generator) -> Given:
        x, y = 2 * normal(rng, self.n, 2), (uniform(rng, self.n) < 0.5).double()
        return Given(ridge_logistic(x, y, lam=0.1), 3 * normal(rng, 2), self.T)

    def measure(self, given: Given) -> Series:
        f, x0, T = given.objective.f, given.x0, given.T
        end = gradient_flow(f, x0, T, times=2).x[-1]
        runs = [gradient_descent(f, x0, T / N, N).x[-1] for N in STEPS]
        return Series(STEPS, [float((x - end).norm()) for x in runs])

    @picture("Strictly convex: all runs end at the minimum", x="x₁", y="x₂", equal=True)
    def convex(self, trial: Trial[Given]) -> Marks:
        yield from flows(trial.given.objective, 30.0)

    @picture("Not convex: runs end at several minima", x="x₁", y="x₂", equal=True)
    def several(self, trial: Trial[Given]) -> Marks:
        ones, W = torch.ones(2, dtype=torch.float64), torch.tensor([[1.6, 0.5], [-0.6, 1.5]])
        yield from flows(waves(W.double(), ones, ones), 20.0)
