r"""Descent finds the interpolator nearest to its start.

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
:cost: instant
:covers: min-norm-implicit-bias
:erratum: [missing hypothesis] Theorem 71 names no step size, but 0 < eta < n/lambda_max(X^T X) is
    needed: the counterexample is 5 % above and its distance multiplies by 1.1 a step. Nor does it
    ask that Xw = y has a solution (rank X = n, or y in the range). And "d > n, X is full rank,
    therefore w1 = w2" is no reason: d > n does not give full rank and X always has a kernel; the
    conclusion holds because both solutions lie in the span of the x_i, so that their difference is
    in the row space and in the kernel at once.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.theory.optimization.methods.adam import Adam
from corollary.theory.optimization.methods.heavy_ball import HeavyBall
from corollary.theory.optimization.methods.method import Method, trajectory
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.finite_sums import squares
from corollary.theory.prerequisites.quadratic_losses import LeastSquares
from corollary.theory.prerequisites.singular import numerical_rank


class Given(NamedTuple):
    """An underdetermined system, a start, a step size in units of its limit, a seed for SGD."""

    X: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    w0: Float[Tensor, " d"]
    share: float  # eta = share * n / lambda_max
    seed: int

    @property
    def limit(self) -> float:
        """The largest step."""
        return len(self.X) / float(torch.linalg.matrix_norm(self.X, 2)) ** 2


class ClosestInterpolator(Claim[Given]):
    n: int = option(4, low=1, high=50)  # data points
    d: int = option(10, low=2, high=200)  # parameters, more than n
    steps: int = option(500, low=100, high=20_000)  # steps of each method
    relation = equals(
        ulps=2**24, scale=1.0
    )  # condition number 2: SGD, the slowest, is at 1e-12 after 300 steps

    def given(self, rng: Generator) -> Given:
        """Rows with singular values between 1 and 2, a normal start, half the largest step."""
        n = min(self.n, self.d - 1)
        normal = torch.randn(n, self.d, generator=rng, dtype=torch.float64)
        U, _, Vt = torch.linalg.svd(normal, full_matrices=False)
        X = (U * torch.linspace(1, 2, n, dtype=torch.float64)) @ Vt
        y = torch.randn(n, generator=rng, dtype=torch.float64)
        w0 = torch.randn(self.d, generator=rng, dtype=torch.float64)
        return Given(X, y, w0, 0.5, int(torch.randint(2**31, (1,), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Rank and step size."""
        rank = numerical_rank(given.X)
        yield Hypothesis("the rows of X are independent", rank == len(given.X), f"rank {rank}")
        yield Hypothesis(
            "the step lies between 0 and n/λmax", 0 < given.share < 1, f"η = {given.share:g} n/λmax"
        )

    def predict(self, given: Given) -> list[float]:
        """The projection of the start, once for each method."""
        return _nearest(given).tolist() * 3

    def measure(self, given: Given) -> list[float]:
        """The ends of gradient descent, the heavy ball and SGD."""
        return [v for path in _paths(given, self.steps).values() for v in path[-1].tolist()]

    def counterexample(self, rng: Generator) -> Given:
        """A step that is five per cent too long."""
        return self.given(rng)._replace(share=1.05)

    def figure(self, given: Given) -> Figure:
        """The distance to the nearest interpolator, for four methods."""
        steps, target = min(300, self.steps), _nearest(given)
        adam = trajectory(Adam(lr=0.05), _gradient(given), given.w0, steps)
        marks = [
            Curve((path - target).norm(dim=1), label=name, dashed=k > 0)
            for k, (name, path) in enumerate(_paths(given, steps).items())
        ]
        marks.append(Curve((adam - target).norm(dim=1), label="Adam", role="other"))
        return Figure(
            "In the span of the data, all end at one point",
            x="step t",
            y="‖w − nearest interpolator‖",
            log_y=True,
            marks=tuple(marks),
        )


def _nearest(given: Given) -> Tensor:
    X, y, w0 = given[:3]
    return w0 + torch.linalg.pinv(X) @ (y - X @ w0)


def _gradient(given: Given):
    return LeastSquares(given.X, given.y, 1 / len(given.X)).gradient


def _paths(given: Given, steps: int) -> dict[str, Tensor]:
    X, y, w0, share, seed = given
    eta = share * given.limit
    methods: dict[str, Method] = {
        "gradient descent": HeavyBall(lr=eta, beta=0.0),
        "heavy ball": HeavyBall(lr=eta, beta=0.5),
    }
    paths = {k: trajectory(m, _gradient(given), w0, steps) for k, m in methods.items()}
    # single functions are n times as steep at most, and squares() has half their size
    longest = float(X.square().sum(dim=1).max())
    rng = torch.Generator().manual_seed(seed)
    paths["SGD, one point a step"] = sgd(
        squares(X, y), w0[None], share * 2 / longest, steps, rng=rng
    ).x[:, 0]
    return paths
