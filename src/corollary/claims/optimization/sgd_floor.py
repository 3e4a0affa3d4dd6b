r"""Noise floor of SGD: a lower bound on the error after one step.

Let :math:`\ell_i(w)=\frac n2(x_i^\top w-y_i)^2` with i uniform, and :math:`w_*` a least-squares
solution. For :math:`\eta\le1/(2\|X^\top X\|)`

.. math:: \mathbb E\|w_{k+1}-w_*\|^2\ge\eta^2\,\mathbb E\|\nabla\ell_i(w_k)\|^2 .

If :math:`Xw=y` has no solution, the right side stays away from 0, and SGD with a constant step does
not converge in mean square. If it has one, nothing follows (see the claim sgd_interpolation).

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.8, Problem 2e.
:kind: bound
:uses: cauchy_schwarz, operator_norm
:covers: sgd-constant-step-floor
:erratum: [wrong] Problem 2e ends in "> 0". With y = X w_*, as the problem has it, every gradient is
    0 at w_*, and so is the right side there; the claim sgd_interpolation says what follows.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, Trial, at_least, generator, normal, option
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum
from corollary.theory.optimization.stochastic.linear_systems import (
    sgd_floor,
    step_limits,
    sum_of_squares,
)


class Given(NamedTuple):
    problem: FiniteSum
    w: Float[Tensor, "k d"]  # points
    eta: float  # learning rate

    @property
    def distance(self) -> Float[Tensor, " k"]:
        return (self.w - self.problem.minimiser).square().sum(dim=1).sqrt()


def stiff(given: Given) -> Given:
    """The step is 1.5/‖XᵀX‖, and the error lies along the steepest direction."""
    o, r = given.problem, given.distance[:, None]
    w = o.minimiser + r * torch.linalg.eigh(o.A.T @ o.A)[1][:, -1]
    return given._replace(w=w, eta=3 * step_limits(o.A).floor)


class SgdFloor(Claim[Given]):
    n: int = option(20, low=2)  # rows
    d: int = 3  # columns
    share: float = option(1.0, low=0.1, high=1.0)  # the step in units of 1/(2‖XᵀX‖)
    noise: float = option(1.0, low=0.1, high=100.0)  # spread of the targets
    points: int = 40  # points

    relation = at_least(ulps=2**10)  # means of squares
    supposes = Suppose(
        "the step is at most 1/(2‖XᵀX‖)",
        lambda g: step_limits(g.problem.A).floor * (1 + 1e-9) - g.eta,
        without=stiff,
    )
    symbols = "η² E‖∇ℓᵢ(w)‖²", "E‖w⁺ − w_*‖²"
    shows = Along(
        "Near the solution, a step of SGD increases the error",
        x="‖w − w_*‖",
        at="distance",
        log="xy",
    )

    def given(self, rng: Generator) -> Given:
        X, away = normal(rng, self.n, self.d), normal(rng, self.points, self.d)
        problem = sum_of_squares(X, X.sum(dim=1) + self.noise * normal(rng, self.n))
        r = torch.logspace(-2, 1, self.points, dtype=torch.float64)[:, None]
        w = problem.minimiser + self.noise * r * away / away.norm(dim=1, keepdim=True)
        return Given(problem, w, self.share * step_limits(X).floor)

    def predict(self, given: Given) -> list[float]:
        g = given.problem.components(given.w)
        return (given.eta**2 * g.square().sum(dim=-1).mean(dim=-1)).tolist()

    def measure(self, given: Given) -> list[float]:
        o = given.problem
        step = given.w[:, None] - given.eta * o.components(given.w) - o.minimiser
        return step.square().sum(dim=-1).mean(dim=-1).tolist()

    @picture(
        "If there is a solution, SGD converges; otherwise it does not",
        x="k",
        y="‖w_k − w_*‖², mean of 50 runs",
        log="y",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        o, _, eta = trial.given
        targets = {"no solution": o.b, "a solution": o.A @ o.minimiser}
        runs = {
            name: sgd_floor(o.A, y, eta, steps=1000, runs=50, rng=generator(0, name))
            for name, y in targets.items()
        }
        yield Level(trial.predicted[0], "η² E‖∇ℓᵢ‖² next to w_*")
        for name, f in runs.items():
            yield Curve(f.error.mean(dim=1), f.steps, name)
