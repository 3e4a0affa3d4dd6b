r"""Gradient descent follows the gradient flow.

Gradient descent is Euler's scheme for :math:`\dot x=-\nabla f(x)`. On a fixed interval [0, T] with
N steps of size :math:`\eta=T/N\le1/L` its distance to the flow is of first order:

.. math:: \|x_N-x(T)\|=O(\eta)=O(N^{-1}) .

For a strictly convex f with a minimiser all trajectories reach one point; for a non-convex f they
end in several.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.2 and Figure 5.2.
:kind: rate
:cost: seconds
:covers: gradient-flow
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    HeatMap,
    Hypothesis,
    Points,
    Series,
    option,
    slope,
)
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.gradient_flow import gradient_flow
from corollary.theory.optimization.grids import values_on_grid
from corollary.theory.optimization.objectives import Objective, quadratic, ridge_logistic, waves


class Given(NamedTuple):
    """A function, a start and an interval."""

    objective: Objective
    x0: Float[Tensor, " d"]
    T: float


class EulerFlow(Claim[Given]):
    n: int = 20  # data points of the logistic loss
    T: float = option(2.0, low=0.1, high=5.0)  # length of the interval
    relation = slope(gap=0.1)  # the second-order term bends the line at 8 steps

    def given(self, rng: Generator) -> Given:
        """Ridge logistic regression in the plane."""
        x = 2 * torch.randn(self.n, 2, generator=rng, dtype=torch.float64)
        y = (torch.rand(self.n, generator=rng, dtype=torch.float64) < 0.5).double()
        start = 3 * torch.randn(2, generator=rng, dtype=torch.float64)
        return Given(ridge_logistic(x, y, lam=0.1), start, self.T)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Step and smoothness."""
        eta, limit = given.T / _steps()[0], 1 / given.objective.L
        detail = f"η = {eta:.3g}, 1/L = {limit:.3g}"
        yield Hypothesis("the longest step is at most 1/L", eta <= limit, detail)

    def predict(self, given: Given) -> float:
        """Euler's order."""
        return -1.0

    def measure(self, given: Given) -> Series:
        """Distances at time T."""
        f, (x0, T) = given.objective.f, given[1:]
        end = gradient_flow(f, x0, T, times=2).x[-1]
        runs = [gradient_descent(f, x0, T / N, N).x[-1] for N in _steps()]
        return Series(_steps(), [float((x - end).norm()) for x in runs])

    def counterexample(self, rng: Generator) -> Given:
        """A stiff quadratic, on which all these steps are too long."""
        stiff = quadratic(torch.diag(torch.tensor([1.0, 1000.0], dtype=torch.float64)))
        return Given(stiff, torch.ones(2, dtype=torch.float64), 1.0)

    def figure(self, given: Given) -> tuple[Figure, Figure, Figure]:
        """The rate; flows of a convex and of a non-convex function."""
        found = self.measure(given)
        line = [found.values[-1] * found.sizes[-1] / N for N in found.sizes]
        rate = Figure(
            "The distance of descent to flow",
            x="N steps",
            y="‖x_N − x(T)‖",
            log_x=True,
            log_y=True,
            marks=(
                Curve(line, found.sizes, "slope −1", "predicted"),
                Points(found.sizes, found.values, label="distance"),
            ),
        )
        w = torch.tensor([[1.6, 0.5], [-0.6, 1.5]], dtype=torch.float64)
        ones = torch.ones(2, dtype=torch.float64)
        hills = waves(w, ones, ones)
        one = _portrait("Strictly convex: one end", given.objective, 30.0)
        return rate, one, _portrait("Not convex: several ends", hills, 20.0)


def _portrait(title: str, objective: Objective, T: float) -> Figure:
    """Flows from the border of a square on the landscape."""
    starts = [(a, b) for a in (-2.4, 2.4) for b in (-2.4, 0.2, 2.4)]
    paths = [
        gradient_flow(objective.f, torch.tensor(s, dtype=torch.float64), T, times=40, rtol=1e-5).x
        for s in starts
    ]
    square = (-4.0, 4.0)
    ground = HeatMap(values_on_grid(objective.f, square, square), square, square, label="f")
    flows = [Curve(p[:, 1], p[:, 0], f"flow {i + 1}", "predicted") for i, p in enumerate(paths)]
    ends = Points([p[-1, 0] for p in paths], [p[-1, 1] for p in paths], "x(T)")
    return Figure(title, x="x₁", y="x₂", equal=True, marks=(ground, *flows, ends))


def _steps() -> list[int]:
    return [8, 16, 32, 64, 128]
