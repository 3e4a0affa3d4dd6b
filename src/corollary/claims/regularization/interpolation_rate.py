r"""The distance to the nearest interpolator contracts.

Let X have rank n < d and singular values :math:`\sigma_1\ge\dots\ge\sigma_n`. Gradient descent on
:math:`\frac1n\|Xw-y\|^2` with :math:`0<\eta\le n/(\sigma_1^2+\sigma_n^2)` has

.. math:: \|w_t-w_\infty\|\le\rho^t\,\|w_0-w_\infty\|,\qquad\rho=1-\frac{2\eta\sigma_n^2}n<1 .

Only the n singular values count: the zero modes of the d - n other directions do not slow it down,
since nothing ever moves there. For a longer step the factor is the other end,
:math:`2\eta\sigma_1^2/n-1`, and from :math:`\eta=n/\sigma_1^2` on nothing converges.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.1, Theorem 71 (which names no
    step size and no rate).
:kind: bound
:cost: instant
:covers: min-norm-implicit-bias
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.theory.prerequisites.quadratic_losses import LeastSquares
from corollary.theory.prerequisites.singular import numerical_rank
from corollary.theory.regularization.interpolation import interpolation_factor


class Given(NamedTuple):
    """A system, a start and a step size."""

    X: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    w0: Float[Tensor, " d"]
    eta: float


class InterpolationRate(Claim[Given]):
    n: int = option(5, low=1, high=50)  # data points
    d: int = option(12, low=2, high=200)  # parameters, more than n
    steps: int = option(60, low=1, high=10_000)  # steps of gradient descent
    share: float = option(0.5, low=0.01, high=0.5)  # the step in units of n/σ₁²
    relation = at_most(ulps=2**20, scale=1.0)  # rounding of the limit itself, about 1e-16 a step

    def given(self, rng: Generator) -> Given:
        """Normal rows, targets and start."""
        X = torch.randn(min(self.n, self.d - 1), self.d, generator=rng, dtype=torch.float64)
        y = torch.randn(len(X), generator=rng, dtype=torch.float64)
        w0 = torch.randn(self.d, generator=rng, dtype=torch.float64)
        return Given(X, y, w0, self.share * len(X) / float(torch.linalg.matrix_norm(X, 2)) ** 2)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Rank and step size."""
        X, eta = given.X, given.eta
        rank, limit = numerical_rank(X), _best_step(X)
        yield Hypothesis("the rows of X are independent", rank == len(X), f"rank {rank}")
        yield Hypothesis(
            "the step lies between 0 and n/(σ₁² + σₙ²)", 0 < eta <= limit, f"η = {eta:.3g}"
        )

    def predict(self, given: Given) -> list[float]:
        """Powers of the factor times the first distance."""
        X, y, w0, eta = given
        rho = 1 - 2 * eta * float(torch.linalg.svdvals(X)[-1]) ** 2 / len(X)
        first = float((torch.linalg.pinv(X) @ (y - X @ w0)).norm())
        return [first * rho**t for t in self._steps()]

    def measure(self, given: Given) -> list[float]:
        """The distance of each iterate to the interpolator nearest to the start."""
        X, y, w0, eta = given
        path = LeastSquares(X, y, 1 / len(X)).descend(w0, eta=eta, steps=self.steps)
        target = w0 + torch.linalg.lstsq(X, y - X @ w0, driver="gelsd").solution
        return (path - target).norm(dim=1)[1:].tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A step above n/σ₁²."""
        given = self.given(rng)
        limit = len(given.X) / float(torch.linalg.matrix_norm(given.X, 2)) ** 2
        return given._replace(eta=1.1 * limit)

    def figure(self, given: Given) -> Figure:
        """Measured distances and the bound, with the step that is best for it."""
        best = _best_step(given.X)
        fast, t = given._replace(eta=best), self._steps()
        return Figure(
            "Only the singular values of the data set the pace",
            x="step t",
            y="‖w_t − w_∞‖",
            log_y=True,
            marks=(
                Curve(self.predict(given), x=t, label="ρᵗ ‖w₀ − w_∞‖", role="predicted"),
                Curve(self.measure(given), x=t, label="gradient descent"),
                Curve(
                    self.measure(fast),
                    x=t,
                    label=f"best step, ρ = {interpolation_factor(given.X, best):.3g}",
                    role="other",
                    dashed=True,
                ),
            ),
        )

    def _steps(self) -> list[int]:
        return list(range(1, self.steps + 1))


def _best_step(X: Tensor) -> float:
    s = torch.linalg.svdvals(X)
    return len(X) / float(s[0] ** 2 + s[-1] ** 2)
