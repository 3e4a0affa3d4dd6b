r"""Gradient descent solves a linear system.

For :math:`\ell(w)=\frac12\|Xw-y\|^2` with :math:`y=Xw_*` the error is multiplied by one matrix at
each step, :math:`w_{t+1}-w_*=(I-\eta X^\top X)(w_t-w_*)`, so

.. math:: \|w_t-w_*\|\le\|I-\eta X^\top X\|_{\mathrm{op}}^t\,\|w_0-w_*\| ,

with equality along the slowest eigenvector. The factor is below 1 for
:math:`0<\eta<2/\|X^\top X\|` when X has full column rank.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.8, Problem 2, (5.13) and (5.14).
:kind: bound
:cost: instant
:covers: least-squares-gd
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.least_squares_descent import least_squares_gd
from corollary.theory.prerequisites.singular import numerical_rank


class Given(NamedTuple):
    """A linear system, what is taken for its solution, a start and a step."""

    X: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    w_star: Float[Tensor, " d"]
    w0: Float[Tensor, " d"]
    eta: float


class LeastSquaresDescent(Claim[Given]):
    n: int = 20  # equations
    d: int = 4  # unknowns
    k: int = 60  # steps
    share: float = option(1.0, low=0.01, high=1.99)  # the step in units of 1/‖XᵀX‖
    start: Literal["slowest", "random"] = "slowest"  # direction of the first error
    relation = at_most(ulps=2**8, scale=1.0)  # w of size 1 is rounded at each step

    def given(self, rng: Generator) -> Given:
        """A consistent system of full rank."""
        X = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64) / self.n**0.5
        w_star, u = torch.randn(2, self.d, generator=rng, dtype=torch.float64)
        values, V = torch.linalg.eigh(X.T @ X)
        eta = self.share / float(values[-1])
        if self.start == "slowest":
            u = V[:, int((1 - eta * values).abs().argmax())]
        return Given(X, X @ w_star, w_star, w_star + u, eta)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """System and rank."""
        X, y, w_star = given[:3]
        off = float((X @ w_star - y).norm())
        yield Hypothesis("w* solves the system", off < 1e-9, f"‖Xw* − y‖ = {off:.2g}")
        full = numerical_rank(X) == X.shape[1]
        yield Hypothesis("X has full column rank", full)

    def predict(self, given: Given) -> list[float]:
        """Powers of the operator norm."""
        eye = torch.eye(given.X.shape[1], dtype=torch.float64)
        norm = float(torch.linalg.matrix_norm(eye - given.eta * given.X.T @ given.X, 2))
        first = float((given.w0 - given.w_star).norm())
        return [norm**t * first for t in range(1, self.k + 1)]

    def measure(self, given: Given) -> list[float]:
        """Distances of the iterates to w*."""
        X, y, w_star, w0, eta = given
        run = gradient_descent(lambda w: 0.5 * (X @ w - y).square().sum(), w0, eta, self.k)
        return (run.x[1:] - w_star).norm(dim=1).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Noise in y: descent finds another vector."""
        given = self.given(rng)
        noise = torch.randn(self.n, generator=rng, dtype=torch.float64)
        return given._replace(y=given.y + noise)

    def figure(self, given: Given) -> Figure:
        """Distances from two starts, and a noisy system."""
        X, y, w_star, w0, eta = given
        noisy = least_squares_gd(X, y + torch.cos(torch.arange(len(y))), eta, self.k, w0=w0)
        other = given._replace(w0=w_star + torch.ones_like(w_star) / len(w_star) ** 0.5)
        k = range(1, self.k + 1)
        return Figure(
            "Gradient descent for a linear system",
            x="t",
            y="‖w_t − w*‖",
            log_y=True,
            marks=(
                Curve(self.predict(given), k, "‖I − ηXᵀX‖^t ‖w₀ − w*‖", "predicted"),
                Curve(self.measure(given), k, f"start: {self.start}"),
                Curve(self.measure(other), k, "start: all ones", "measured", dashed=True),
                Curve((noisy.w[1:] - w_star).norm(dim=1), k, "noise in y", "other"),
            ),
        )
