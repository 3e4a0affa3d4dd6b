r"""Iteration complexity: gradients that SGD and gradient descent need.

To make :math:`\mathbb E\|\nabla f\|^2\le\varepsilon` for an L-smooth
:math:`f=\frac1n\sum_if_i` with :math:`\Delta=f(x_0)-f^*` and
:math:`\mathbb E\|\nabla f_i\|^2\le\sigma^2`,

.. math:: K_{\rm SGD}=\frac{2\Delta L\sigma^2}{\varepsilon^2},\qquad
   K_{\rm GD}=\frac{2L\Delta}\varepsilon

iterations suffice (for a random iterate of SGD, for the best one of descent). An iteration of SGD
takes one gradient of a single function, one of descent takes n, so that SGD is cheaper from
:math:`n=\sigma^2/\varepsilon` on.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.7 and Theorems 38 and 41; Ghadimi
    and Lan (2013), "Stochastic first- and zeroth-order methods for nonconvex stochastic
    programming".
:kind: bound
:uses: gd_nonconvex, sgd_nonconvex_rate
:covers: iteration-complexity-gd-sgd
:loose: The proof takes the worst curvature and the worst noise at each step; these waves have less.
:erratum: [loose] O(n/eps) is called the iteration complexity of gradient descent; it needs O(1/eps)
    iterations, and n/eps counts gradients of single functions. The measurement is the same for 30
    functions as for each of them written down ten times.
"""

from typing import Literal

import torch
from torch import Generator

from corollary.claims.optimization._landscapes import Stochastic, bounded, stochastic_hill
from corollary.core import Along, Claim, Sample, Suppose, at_most, option
from corollary.theory.optimization.methods.heavy_ball import HeavyBall
from corollary.theory.optimization.methods.method import trajectory
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, duplicated, squares
from corollary.theory.optimization.stochastic.rates import complexity, sgd_nonconvex


def parabola() -> Stochastic:
    """On a parabola, the gradients grow with the distance and exceed σ."""
    X = torch.ones(2, 1, dtype=torch.float64)
    problem = squares(X, torch.tensor([-1.0, 1.0], dtype=torch.float64))
    return Stochastic(problem, 0.5, torch.full((1,), 0.5, dtype=torch.float64))


class IterationComplexity(Claim[Stochastic]):
    n: int = option(30, low=2)  # waves that are added up
    d: int = 2  # dimension
    share: float = option(0.05, low=0.02, high=1.0)  # ε in units of σ²
    runs: int = option(100, low=10, high=10_000)  # runs of SGD
    copies: int = option(10, low=2, high=100)  # copies of each function

    relation = at_most(level=0.999)  # the expectation of SGD is a mean over the runs
    supposes = Suppose(
        "stochastic gradients are bounded by σ along the run",
        lambda self, g: bounded(g, *self.plan(g)),
        without=parabola,
    )
    symbols = "ε", "‖∇f‖²"
    rows = "SGD", "descent", "descent, every function copied"
    shows = Along(
        "Squared gradient norm after the number of iterations in the bound", x="method", log="y"
    )

    def given(self, rng: Generator) -> Stochastic:
        return stochastic_hill(self.n, self.d, rng)

    def cost(self, given: Stochastic, method: Literal["SGD", "GD"], n: int) -> int:
        """Iterations that are promised to be enough."""
        eps, L, sigma = self.share * given.sigma**2, given.problem.L, given.sigma
        return complexity(method, eps, delta=given.delta, L=L, sigma=sigma, n=n).iterations

    def plan(self, given: Stochastic) -> tuple[float, int]:
        """Learning rate and steps of SGD."""
        K = self.cost(given, "SGD", given.problem.n)
        return sgd_nonconvex(given.delta, given.problem.L, given.sigma, K).eta, K

    def predict(self, given: Stochastic) -> list[float]:
        return [self.share * given.sigma**2] * 3

    def measure(self, given: Stochastic, rng: Generator) -> list[Sample | float]:
        def descent(problem: FiniteSum) -> float:
            steps = max(self.cost(given, "GD", problem.n) - 1, 1)
            path = trajectory(HeavyBall(1 / problem.L, 0.0), problem.gradient, given.x0, steps)
            return float(problem.gradient(path).square().sum(dim=-1).min())

        noisy = given.squares(given.run(*self.plan(given), self.runs, rng)).mean(dim=0)
        copied = duplicated(given.problem, self.copies)
        return [Sample(noisy), descent(given.problem), descent(copied)]
