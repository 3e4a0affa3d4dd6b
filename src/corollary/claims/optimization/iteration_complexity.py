r"""Gradients that SGD and gradient descent need.

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
:cost: instant
:covers: iteration-complexity-gd-sgd
:erratum: [loose] O(n/eps) is called the iteration complexity of gradient descent; it needs O(1/eps)
    iterations, and n/eps counts gradients of single functions. The measurement is the same for 30
    functions as for each of them written down ten times.
"""

from collections.abc import Iterator

import torch
from torch import Generator, Tensor

from corollary.claims.optimization._waves import Given, bounded, waves
from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Sample, at_most, option
from corollary.theory.optimization.methods.heavy_ball import HeavyBall
from corollary.theory.optimization.methods.method import trajectory
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.finite_sums import (
    FiniteSum,
    duplicated,
    squares,
)
from corollary.theory.optimization.stochastic.rates import (
    Complexity,
    complexity,
    crossover_n,
    sgd_nonconvex,
)


class IterationComplexity(Claim[Given]):
    n: int = option(30, low=2)  # waves that are added up
    d: int = 2  # dimension
    share: float = option(0.05, low=0.02, high=1.0)  # ε in units of σ²
    runs: int = option(100, low=10, high=10_000)  # runs of SGD
    copies: int = option(10, low=1, high=1000)  # how often each function is written down
    relation = at_most(level=0.999)  # the expectation of SGD is a mean over the runs

    def given(self, rng: Generator) -> Given:
        """A landscape of waves."""
        return waves(self.n, self.d, rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The second moment at the start and along the run."""
        path = self._sgd(given)
        bound = bounded(given, path[::8])
        yield Hypothesis("stochastic gradients are bounded by σ along the run", *bound)

    def predict(self, given: Given) -> list[float]:
        """What was asked for."""
        return [self._eps(given)] * 3

    def measure(self, given: Given) -> list[Sample | float]:
        """A mean over runs and iterates, and the shortest gradients of descent."""
        noisy = given.problem.gradient(self._sgd(given)).square().sum(dim=-1).mean(dim=0)
        copied = duplicated(given.problem, self.copies)
        return [Sample(noisy), *(float(self._gd(given, o).min()) for o in (given.problem, copied))]

    def counterexample(self, rng: Generator) -> Given:
        """A parabola, whose gradients grow with the distance."""
        X = torch.ones(2, 1, dtype=torch.float64)
        problem = squares(X, torch.tensor([-1.0, 1.0], dtype=torch.float64))
        x0 = torch.full((1,), 0.5, dtype=torch.float64)
        return Given(problem, 0.5, x0, int(torch.randint(2**62, (), generator=rng)))

    def figure(self, given: Given) -> Figure:
        """Squared gradients against the gradients of single functions that were taken."""
        noisy = given.problem.gradient(self._sgd(given)).square().sum(dim=-1).mean(dim=1)
        K = torch.arange(1, len(noisy) + 1)
        exact = self._gd(given, given.problem).cummin(dim=0).values
        cost = self.n * torch.arange(1, len(exact) + 1)
        eps = self._eps(given)
        return Figure(
            f"Gradients of single functions, n = {self.n}",
            x="gradients of single functions",
            y="‖∇f‖²",
            log_x=True,
            log_y=True,
            marks=(
                Level(eps, "ε"),
                Level(self._cost(given, "SGD").gradients, "2ΔLσ²/ε²", "predicted", "x"),
                Level(self._cost(given, "GD").gradients, "2nLΔ/ε", "other", "x"),
                Curve(noisy.cumsum(dim=0) / K, K, "SGD, average so far"),
                Curve(exact.clamp(min=1e-12), cost, "gradient descent, best so far", "other"),
            ),
            caption=f"The two promises cost the same at n = {crossover_n(eps, given.sigma):.3g}.",
        )

    def _eps(self, given: Given) -> float:
        return self.share * given.sigma**2

    def _delta(self, given: Given) -> float:
        return float(given.problem.value(given.x0)) - given.problem.minimum

    def _cost(self, given: Given, method: str) -> Complexity:
        o, eps = given.problem, self._eps(given)
        return complexity(method, eps, delta=self._delta(given), L=o.L, sigma=given.sigma, n=o.n)

    def _sgd(self, given: Given) -> Tensor:
        K = self._cost(given, "SGD").iterations
        rng = torch.Generator().manual_seed(given.seed)
        eta = sgd_nonconvex(self._delta(given), given.problem.L, given.sigma, K).eta
        x0 = given.x0.expand(self.runs, -1).contiguous()
        return sgd(given.problem, x0, eta, max(K - 1, 1), rng=rng).x

    def _gd(self, given: Given, problem: FiniteSum) -> Tensor:
        K = max(self._cost(given, "GD").iterations, 2)
        path = trajectory(HeavyBall(1 / problem.L, 0.0), problem.gradient, given.x0, K - 1)
        return problem.gradient(path).square().sum(dim=-1)
