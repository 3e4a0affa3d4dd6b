r"""The distance to the nearest interpolator shrinks at a linear rate.

Let X have rank n < d and singular values :math:`\sigma_1\ge\dots\ge\sigma_n`. Gradient descent on
:math:`\frac1n\|Xw-y\|^2` with :math:`0<\eta\le n/(\sigma_1^2+\sigma_n^2)` has

.. math:: \|w_t-w_\infty\|\le\rho^t\,\|w_0-w_\infty\|,\qquad\rho=1-\frac{2\eta\sigma_n^2}n<1 .

Only the n singular values count: the zero modes of the d - n other directions do not slow it down,
since nothing ever moves there. For a longer step the factor is the other end,
:math:`2\eta\sigma_1^2/n-1`, and from :math:`\eta=n/\sigma_1^2` on nothing converges.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.1, Theorem 71 (which names no
    step size and no rate).
:kind: bound
:uses: closest_interpolator, gd_quadratic
:covers: min-norm-implicit-bias
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, normal, option
from corollary.theory.prerequisites.quadratic_losses import LeastSquares


class Given(NamedTuple):
    X: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    w0: Float[Tensor, " d"]  # start
    eta: float


def too_long(given: Given) -> Given:
    """A step ten per cent above n/σ₁² diverges."""
    top = float(torch.linalg.matrix_norm(given.X, 2))
    return given._replace(eta=1.1 * len(given.X) / top**2)


class InterpolationRate(Claim[Given]):
    n: int = option(5, low=1, high=50)  # data points
    d: int = option(12, low=2, high=200)  # parameters, more than n
    steps: int = option(60, low=1, high=10_000)  # steps of gradient descent
    share: float = option(0.45, low=0.01, high=0.5)  # the step in units of n/σ₁²

    relation = at_most(ulps=2**20, scale=1.0)  # rounding of the limit itself, about 1e-16 a step
    supposes = (
        Suppose(
            "the rows of X are independent",
            lambda g: torch.linalg.svdvals(g.X)[len(g.X) - 1] - 1e-9,
        ),
        Suppose(
            "the step lies between 0 and n/(σ₁² + σₙ²)",
            lambda g: 0 < g.eta <= len(g.X) / torch.linalg.svdvals(g.X)[[0, -1]].square().sum(),
            without=too_long,
        ),
    )
    symbols = "ρᵗ ‖w₀ − w_∞‖", "‖w_t − w_∞‖"
    shows = Along("Distance to the nearest interpolator per step", x="step t", log="y", first=1)

    def given(self, rng: Generator) -> Given:
        X = normal(rng, min(self.n, self.d - 1), self.d)
        eta = self.share * len(X) / float(torch.linalg.matrix_norm(X, 2)) ** 2
        return Given(X, normal(rng, len(X)), normal(rng, self.d), eta)

    def predict(self, given: Given) -> list[float]:
        X, y, w0, eta = given
        rho = 1 - 2 * eta * float(torch.linalg.svdvals(X)[-1]) ** 2 / len(X)
        first = float((torch.linalg.pinv(X) @ (y - X @ w0)).norm())
        return [first * rho**t for t in range(1, self.steps + 1)]

    def measure(self, given: Given) -> Tensor:
        X, y, w0, eta = given
        path = LeastSquares(X, y, 1 / len(X)).descend(w0, eta=eta, steps=self.steps)
        target: Tensor = w0 + torch.linalg.lstsq(X, y - X @ w0, driver="gelsd").solution
        return (path - target)[1:].square().sum(dim=1).sqrt()
