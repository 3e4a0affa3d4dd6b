r"""Gradient descent converges to the interpolator nearest to its start.

For :math:`\mathcal L(w)=\frac1n\|Xw-y\|^2` with :math:`\operatorname{rank}X=n<d` and
:math:`0<\eta<n/\lambda_{\max}(X^\top X)`

.. math:: w_t\to\operatorname*{argmin}_{Xw=y}\|w-w_0\|=w_0+X^+(y-Xw_0) ;

from :math:`w_0=0` that is the shortest solution. All that is used is that every update lies in the
span of the data, so gradient descent, stochastic gradient descent and the heavy ball end at the
same point. Adam divides each coordinate by its own scale, leaves the span, and ends elsewhere
(in the figure). Above the step limit nothing converges.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.1, Theorem 71; Gunasekar, Lee,
    Soudry and Srebro (2018), "Characterizing implicit bias in terms of optimization geometry".
:kind: theorem
:uses: least_squares_row_space, shortest_interpolator
:covers: min-norm-implicit-bias
:erratum: [missing hypothesis] Theorem 71 names no step size, but 0 < eta < n/lambda_max(X^T X) is
    needed: the counterexample is 5 % above and its distance multiplies by 1.1 a step. Nor does it
    ask that Xw = y has a solution (rank X = n, or y in the range). And "d > n, X is full rank,
    therefore w1 = w2" is no reason: d > n does not give full rank and X always has a kernel; the
    conclusion holds because both solutions lie in the span of the x_i, so that their difference is
    in the row space and in the kernel at once.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.optimization.methods.adam import Adam
from corollary.theory.optimization.methods.heavy_ball import HeavyBall
from corollary.theory.optimization.methods.method import trajectory
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.finite_sums import squares
from corollary.theory.prerequisites.quadratic_losses import LeastSquares
from corollary.theory.prerequisites.singular import numerical_rank


class Given(NamedTuple):
    X: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    w0: Float[Tensor, " d"]  # start
    share: float  # eta = share * n / lambda_max


def repeated_row(given: Given) -> Given:
    """Two equal rows have different targets, so nothing interpolates and SGD does not converge."""
    X, y = torch.cat([given.X, given.X[:1]]), torch.cat([given.y, given.y[:1] + 1])
    return given._replace(X=X, y=y)


class ClosestInterpolator(Claim[Given]):
    n: int = option(4, low=1, high=50)  # data points
    d: int = option(10, low=2, high=200)  # parameters, more than n
    steps: int = option(500, low=100, high=20_000)  # steps of each method

    # condition number 2: SGD, the slowest, is at 1e-12 after 300 steps
    relation = equals(ulps=2**24, scale=1.0)
    supposes = (
        Suppose(
            "the rows of X are independent",
            lambda g: (numerical_rank(g.X) == len(g.X), f"rank {numerical_rank(g.X)}"),
            without=repeated_row,
        ),
        Suppose(
            "the step lies between 0 and n/λmax",
            lambda g: (0 < g.share < 1, f"η = {g.share:g} n/λmax"),
            "If the step is 5 % too long, descent diverges.",
            share=1.05,
        ),
    )
    symbols = "w₀ + X⁺(y − Xw₀)", "coordinate of the end of each method"

    def given(self, rng: Generator) -> Given:
        n = min(self.n, self.d - 1)
        U, _, Vt = torch.linalg.svd(normal(rng, n, self.d), full_matrices=False)
        X = (U * torch.linspace(1, 2, n, dtype=torch.float64)) @ Vt
        return Given(X, normal(rng, n), normal(rng, self.d), 0.5)

    def predict(self, given: Given) -> Tensor:
        X, y, w0, _ = given
        nearest: Tensor = w0 + torch.linalg.pinv(X) @ (y - X @ w0)
        return nearest.repeat(3)

    def measure(self, given: Given, rng: Generator) -> Kept:
        X, y, w0, share = given
        eta, loss = share * len(X) / torch.linalg.matrix_norm(X, 2).item() ** 2, _gradient(given)
        # single functions are n times as steep at most, and squares() has half their size
        longest = float(X.square().sum(dim=1).max())
        single = sgd(squares(X, y), w0[None], share * 2 / longest, self.steps, rng=rng).x[:, 0]
        paths = {
            "gradient descent": trajectory(HeavyBall(lr=eta, beta=0.0), loss, w0, self.steps),
            "heavy ball": trajectory(HeavyBall(lr=eta, beta=0.5), loss, w0, self.steps),
            "SGD, one point per step": single,
        }
        return Kept(torch.cat([path[-1] for path in paths.values()]), paths=paths)

    @picture(
        "Methods that stay in the span of the data end at the same point",
        x="step t",
        y="‖w − nearest interpolator‖",
        log="y",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        target = trial.predicted[: len(trial.given.w0)]
        adam = trajectory(Adam(lr=0.05), _gradient(trial.given), trial.given.w0, 300)
        paths = {**trial.kept.paths, "Adam, which leaves the span": adam}
        for k, (name, path) in enumerate(paths.items()):
            yield Curve((path[:300] - target).norm(dim=1), label=name, dashed=k > 0)


def _gradient(given: Given) -> Callable[[Tensor], Tensor]:
    return LeastSquares(given.X, given.y, 1 / len(given.X)).gradient
