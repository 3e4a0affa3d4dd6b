r"""Gradient descent solves a linear system.

For :math:`\ell(w)=\frac12\|Xw-y\|^2` with :math:`y=Xw_*` the error is multiplied by one matrix at
each step, :math:`w_{t+1}-w_*=(I-\eta X^\top X)(w_t-w_*)`, so

.. math:: \|w_t-w_*\|\le\|I-\eta X^\top X\|_{\mathrm{op}}^t\,\|w_0-w_*\| ,

with equality along the slowest eigenvector. The factor is below 1 for
:math:`0<\eta<2/\|X^\top X\|` when X has full column rank.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.8, Problem 2, (5.13) and (5.14).
:kind: bound
:uses: gd_quadratic, operator_norm
:covers: least-squares-gd
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, near, normal, option
from corollary.theory.optimization.least_squares_descent import least_squares_gd


class Given(NamedTuple):
    X: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    w_star: Float[Tensor, " d"]  # what is taken for a solution
    w0: Float[Tensor, " d"]
    eta: float  # learning rate


class LeastSquaresDescent(Claim[Given]):
    n: int = 20  # equations
    d: int = 4  # unknowns
    k: int = 60  # steps
    share: float = option(1.0, low=0.01, high=1.99)  # the step in units of 1/‖XᵀX‖
    start: Literal["slowest", "random"] = "slowest"  # direction of the first error

    relation = at_most(ulps=2**8, scale=1.0)  # w of size 1 is rounded at each step
    supposes = Suppose(
        "w* solves the system",
        lambda g: near(g.X @ g.w_star, g.y),
        "If y contains noise, descent converges to another vector than w*.",
        y=lambda g, rng: g.y + normal(rng, len(g.y)),
    )
    symbols = "‖I − ηXᵀX‖ᵗ ‖w₀ − w*‖", "‖w_t − w*‖"
    shows = Along("Gradient descent for a linear system", x="t", first=1, log="y")

    def given(self, rng: Generator) -> Given:
        X = normal(rng, self.n, self.d) / self.n**0.5
        w_star, u = normal(rng, self.d), normal(rng, self.d)
        values, V = torch.linalg.eigh(X.T @ X)
        eta = self.share / float(values[-1])
        if self.start == "slowest":
            u = V[:, int((1 - eta * values).abs().argmax())]
        return Given(X, X @ w_star, w_star, w_star + u, eta)

    def predict(self, given: Given) -> list[float]:
        eye = torch.eye(given.X.shape[1], dtype=torch.float64)
        norm = float(torch.linalg.matrix_norm(eye - given.eta * given.X.T @ given.X, 2))
        first = float((given.w0 - given.w_star).norm())
        return [norm**t * first for t in range(1, self.k + 1)]

    def measure(self, given: Given) -> list[float]:
        X, y, w_star, w0, eta = given
        away = least_squares_gd(X, y, eta, self.k, w0=w0).w[1:] - w_star
        return away.square().sum(dim=1).sqrt().tolist()
