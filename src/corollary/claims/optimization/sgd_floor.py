r"""The floor under a step of SGD.

Let :math:`\ell_i(w)=\frac n2(x_i^\top w-y_i)^2` with i uniform, and :math:`w_*` a least-squares
solution. For :math:`\eta\le1/(2\|X^\top X\|)`

.. math:: \mathbb E\|w_{k+1}-w_*\|^2\ge\eta^2\,\mathbb E\|\nabla\ell_i(w_k)\|^2 .

If :math:`Xw=y` has no solution, the right side stays away from 0, and SGD with a constant step does
not converge in mean square. If it has one, nothing follows (see the claim sgd_interpolation).

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.8, Problem 2e.
:kind: bound
:cost: instant
:covers: sgd-constant-step-floor
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, at_least, option
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum
from corollary.theory.optimization.stochastic.linear_systems import step_limits, sum_of_squares
from corollary.theory.optimization.stochastic.noise import sgd_step_decomposition


class Given(NamedTuple):
    """A system, points, a step and the seed of a run."""

    problem: FiniteSum
    w: Float[Tensor, "k d"]
    eta: float
    seed: int


class SgdFloor(Claim[Given]):
    n: int = option(20, low=2)  # rows
    d: int = 3  # columns
    share: float = option(1.0, low=0.1, high=1.0)  # the step in units of 1/(2‖XᵀX‖)
    noise: float = option(1.0, low=0.1, high=100.0)  # spread of the targets
    points: int = 40  # points
    relation = at_least(ulps=2**10)  # means of squares

    def given(self, rng: Generator) -> Given:
        """A system without solution, and points from near to far."""
        X = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        y = X.sum(dim=1) + self.noise * torch.randn(self.n, generator=rng, dtype=torch.float64)
        problem = sum_of_squares(X, y)
        away = torch.randn(self.points, self.d, generator=rng, dtype=torch.float64)
        r = torch.logspace(-1, 1, self.points, dtype=torch.float64)[:, None]
        seed = int(torch.randint(2**62, (), generator=rng))
        eta = self.share * step_limits(X).floor
        return Given(problem, problem.minimiser + self.noise * r * away, eta, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The step."""
        limit = step_limits(given.problem.A).floor
        short = given.eta <= limit * (1 + 1e-12)
        yield Hypothesis("the step is at most 1/(2‖XᵀX‖)", short, f"{given.eta / limit:.3g} times")

    def predict(self, given: Given) -> list[float]:
        """The second moment of the step."""
        g = given.problem.components(given.w)
        return (given.eta**2 * g.square().sum(dim=-1).mean(dim=-1)).tolist()

    def measure(self, given: Given) -> list[float]:
        """All n steps averaged."""
        o = given.problem
        step = given.w[:, None] - given.eta * o.components(given.w) - o.minimiser
        return step.square().sum(dim=-1).mean(dim=-1).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Steps of 1.5/‖XᵀX‖ along the stiffest direction."""
        given = self.given(rng)
        o = given.problem
        stiff = torch.linalg.eigh(o.A.T @ o.A)[1][:, -1]
        r = torch.linspace(1, 10, self.points, dtype=torch.float64)[:, None]
        return given._replace(w=o.minimiser + r * stiff, eta=3 * step_limits(o.A).floor)

    def figure(self, given: Given) -> Figure:
        """The error along runs, with and without a solution."""
        o = given.problem
        clean = sum_of_squares(o.A, o.A @ o.minimiser)
        at = sgd_step_decomposition(o, o.minimiser[None], o.minimiser, given.eta)
        noisy, settled = (self._error(given, p) for p in (o, clean))
        steps = range(0, 20 * len(noisy), 20)
        low, high = (noisy.quantile(q, dim=1) for q in (0.1, 0.9))
        return Figure(
            "With a solution SGD converges, without one it does not",
            x="k",
            y="‖w_k − w_*‖²",
            log_y=True,
            marks=(
                Level(float(at.variance), "η² E‖∇ℓᵢ(w_*)‖²"),
                Curve(noisy.mean(dim=1), steps, "no solution, mean of 50 runs"),
                Curve(low, steps, "no solution, 10 % of the runs below", "other", dashed=True),
                Curve(high, steps, "no solution, 10 % of the runs above", "other", dashed=True),
                Curve(settled.mean(dim=1).clamp(min=1e-32), steps, "a solution, mean", "other"),
            ),
        )

    def _error(self, given: Given, problem: FiniteSum) -> Tensor:
        rng = torch.Generator().manual_seed(given.seed)
        x0 = torch.zeros(50, self.d, dtype=torch.float64)
        runs = sgd(problem, x0, given.eta, 1000, keep=range(0, 1001, 20), rng=rng)
        return (runs.x - problem.minimiser).square().sum(dim=-1)
