r"""SGD with a constant step solves what can be solved.

Let :math:`\ell_i(w)=\frac n2(x_i^\top w-y_i)^2` with i uniform, X of full column rank and
:math:`Xw_*=y`. For :math:`0<\eta<2/(n\max_i\|x_i\|^2)`

.. math:: \mathbb E\|w_k-w_*\|^2\le\rho^k\,\|w_0-w_*\|^2,\qquad
   \rho=1-\eta\,\lambda_{\min}(X^\top X)\,\bigl(2-\eta n\max_i\|x_i\|^2\bigr)<1 .

All gradients vanish at the solution, so there is no noise there, and no decaying step is needed.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.8, Problem 2; Strohmer and Vershynin
    (2009), "A randomized Kaczmarz algorithm with exponential convergence", Theorem 2.
:kind: theorem
:cost: instant
:covers: sgd-constant-step-floor
:erratum: [missing hypothesis] Problem 2e concludes that SGD does not converge, also for the
    y = X w_* of part c). There it does, at the rate above; that it does not needs X w_* != y, which
    is the counterexample here.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Band, Claim, Curve, Figure, Hypothesis, Sample, at_most, option
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.linear_systems import (
    contraction,
    step_limits,
    sum_of_squares,
)


class Given(NamedTuple):
    """A system, a step and the seed of the runs."""

    X: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    eta: float
    seed: int


class SgdInterpolation(Claim[Given]):
    n: int = option(20, low=4)  # rows
    d: int = option(3, low=1)  # columns
    share: float = option(0.5, low=0.05, high=0.95)  # the step in units of 2/(n max‖xᵢ‖²)
    steps: int = option(64, low=8, high=10_000)  # steps
    runs: int = option(400, low=50, high=10_000)  # runs
    relation = at_most(level=0.999)  # the expectation is a mean over the runs

    def given(self, rng: Generator) -> Given:
        """A system with a solution."""
        X = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        w = torch.randn(self.d, generator=rng, dtype=torch.float64)
        seed = int(torch.randint(2**62, (), generator=rng))
        return Given(X, X @ w, self.share * step_limits(X).convergence, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Solvable, determined, and a short step."""
        X, y, eta, _ = given
        off = float((X @ sum_of_squares(X, y).minimiser - y).norm() / y.norm())
        yield Hypothesis("Xw = y has a solution", off < 1e-9, f"relative residual {off:.2g}")
        full = int(torch.linalg.matrix_rank(X)) == X.shape[1]
        yield Hypothesis("X has full column rank", full)
        yield Hypothesis("the step is below 2/(n max‖xᵢ‖²)", eta < step_limits(X).convergence)

    def predict(self, given: Given) -> list[float]:
        """The bound."""
        D2 = float(sum_of_squares(given.X, given.y).minimiser.square().sum())
        rho = contraction(given.X, given.eta)
        return [rho**k * D2 for k in self._sizes()]

    def measure(self, given: Given) -> list[Sample]:
        """Errors of the runs."""
        return [Sample(error) for error in self._errors(given, self._sizes())]

    def counterexample(self, rng: Generator) -> Given:
        """Targets that no w fits."""
        given = self.given(rng)
        noise = torch.randn(self.n, generator=rng, dtype=torch.float64)
        return given._replace(y=given.y + 10 * noise * given.y.norm() / noise.norm())

    def figure(self, given: Given) -> Figure:
        """A straight line on a logarithmic scale."""
        keep = list(range(self.steps + 1))
        errors = self._errors(given, keep)
        D2, rho = float(errors[0, 0]), contraction(given.X, given.eta)
        noise = torch.linspace(-1, 1, self.n, dtype=torch.float64)
        without = self._errors(given._replace(y=given.y + noise * given.y.norm()), keep)
        return Figure(
            "No noise at the solution, no floor",
            x="k",
            y="‖w_k − w_*‖²",
            log_y=True,
            marks=(
                Curve([rho**k * D2 for k in keep], keep, "ρᵏ‖w₀ − w_*‖²", "predicted"),
                Band(keep, *errors.quantile(_TENTHS, dim=1), "a solution, 80 % of the runs"),
                Curve(errors.mean(dim=1), keep, "a solution, mean"),
                Curve(without.mean(dim=1), keep, "no solution, mean", "other", dashed=True),
            ),
        )

    def _sizes(self) -> list[int]:
        return [self.steps >> j for j in range(3, -1, -1)]

    def _errors(self, given: Given, keep: list[int]) -> Tensor:
        problem = sum_of_squares(given.X, given.y)
        rng = torch.Generator().manual_seed(given.seed)
        x0 = torch.zeros(self.runs, given.X.shape[1], dtype=torch.float64)
        found = sgd(problem, x0, given.eta, max(keep), keep=keep, rng=rng)
        return (found.x - problem.minimiser).square().sum(dim=-1)


_TENTHS = torch.tensor([0.1, 0.9], dtype=torch.float64)
