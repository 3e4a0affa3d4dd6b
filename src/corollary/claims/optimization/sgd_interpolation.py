r"""SGD with a constant step solves every system that has a solution.

Let :math:`\ell_i(w)=\frac n2(x_i^\top w-y_i)^2` with i uniform, X of full column rank and
:math:`Xw_*=y`. For :math:`0<\eta<2/(n\max_i\|x_i\|^2)`

.. math:: \mathbb E\|w_k-w_*\|^2\le\rho^k\,\|w_0-w_*\|^2,\qquad
   \rho=1-\eta\,\lambda_{\min}(X^\top X)\,\bigl(2-\eta n\max_i\|x_i\|^2\bigr)<1 .

All gradients vanish at the solution, so there is no noise there, and no decaying step is needed.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.8, Problem 2; Strohmer and Vershynin
    (2009), "A randomized Kaczmarz algorithm with exponential convergence", Theorem 2.
:kind: theorem
:uses: rayleigh_quotient
:covers: sgd-constant-step-floor
:erratum: [missing hypothesis] Problem 2e concludes that SGD does not converge, also for the
    y = X w_* of part c). There it does, at the rate above; that it does not needs X w_* != y, which
    is the counterexample here.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, at_most, normal, option
from corollary.theory.optimization.stochastic.linear_systems import (
    contraction,
    sgd_floor,
    step_limits,
    sum_of_squares,
)


class Given(NamedTuple):
    X: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    eta: float  # learning rate


def residual(given: Given) -> float:
    """How far below the rounding of a solution it is, relative to y."""
    off = given.X @ sum_of_squares(given.X, given.y).minimiser - given.y
    return 1e-9 - float(off.norm() / given.y.norm())


def unsolvable(given: Given, rng: Generator) -> Given:
    """No w fits the targets exactly."""
    noise = normal(rng, len(given.y))
    return given._replace(y=given.y + 10 * noise * given.y.norm() / noise.norm())


def long_step() -> Given:
    """Two equal rows and steps of twice the limit multiply the squared error by nine."""
    X = torch.tensor([[1.0, 0.1], [1.0, -0.1]], dtype=torch.float64)
    return Given(X, X[:, 0], 2 * step_limits(X).convergence)


class SgdInterpolation(Claim[Given]):
    n: int = option(20, low=4)  # rows
    d: int = option(3, low=1)  # columns
    share: float = option(0.5, low=0.05, high=0.95)  # the step in units of 2/(n max‖xᵢ‖²)
    steps: int = option(64, low=8, high=10_000)  # steps
    runs: int = option(400, low=50, high=10_000)  # runs

    relation = at_most(level=0.999)  # the expectation is a mean over the runs
    supposes = (
        Suppose("Xw = y has a solution", residual, without=unsolvable),
        Suppose(
            "the step is below 2/(n max‖xᵢ‖²)",
            lambda g: step_limits(g.X).convergence - g.eta,
            without=long_step,
        ),
    )
    symbols = "ρᵏ‖w₀ − w_*‖²", "E‖w_k − w_*‖²"
    shows = Along(
        "Without noise at the solution, the error falls to zero",
        x="k",
        at="sizes",
        log="y",
        without=False,
    )

    @property
    def sizes(self) -> list[int]:
        return [self.steps >> j for j in range(3, -1, -1)]

    def given(self, rng: Generator) -> Given:
        X = normal(rng, self.n, self.d)
        return Given(X, X @ normal(rng, self.d), self.share * step_limits(X).convergence)

    def predict(self, given: Given) -> list[float]:
        D2 = float(sum_of_squares(given.X, given.y).minimiser.square().sum())
        return [contraction(given.X, given.eta) ** k * D2 for k in self.sizes]

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        X, y, eta = given
        n, runs = self.steps, self.runs
        found = sgd_floor(X, y, eta, steps=n, points=n, runs=runs, rng=rng)
        return [Sample(found.error[k]) for k in self.sizes]

    def tight(self) -> Given:
        """Rows of one length, and the error in their flattest direction."""
        X = torch.tensor([[1.0, 0.1], [1.0, -0.1]], dtype=torch.float64)
        return Given(X, X[:, 1], 0.5 * step_limits(X).convergence)
