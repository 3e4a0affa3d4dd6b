r"""Least-squares gradients stay in the row space.

The loss :math:`\frac1n\|Xw-y\|^2` has gradient and Hessian

.. math:: \nabla=-\frac2nX^\top(y-Xw),\qquad H=\frac2nX^\top X\succeq0,

so every gradient lies in the span of the data points, and gradient descent never changes the part
of w in :math:`\ker X`. With :math:`\eta<n/\sigma_1(X)^2` it tends to the minimiser nearest to its
start, :math:`w_0+X^+(y-Xw_0)`. A penalty :math:`\lambda\|w\|^2` adds a force outside that span, and
the part in the kernel decays.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.4, (1.20)-(1.22), and Section 11,
    (11.4).
:kind: theorem
:uses: chain_rule
:covers: least-squares-gradient
:erratum: [typo] (11.4) prints the gradient of (1/n) sum (y_i - w x_i)^2 as (1/n) sum (y_i - w x_i)
    x_i: the sign and a factor 2 are lost. The proof uses only that it lies in the span of the x_i,
    which is so; (1.21) is right.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Kept, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.prerequisites.quadratic_losses import LeastSquares


class Given(NamedTuple):
    X: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    w: Float[Tensor, " d"]  # start
    decay: float = 0.0  # strength lambda of a penalty


def _kernel_part(X: Tensor, w: Tensor) -> Tensor:
    rows: Tensor = torch.linalg.pinv(X) @ X
    return w - w @ rows


def _outside(given: Given) -> tuple[bool, str]:
    force = LeastSquares(given.X, given.y).gradient(given.w) + 2 * given.decay * given.w
    share = float(_kernel_part(given.X, force).norm() / force.norm())
    return share < 1e-12, f"{share:.1%} of the gradient is outside"


class LeastSquaresRowSpace(Claim[Given]):
    n: int = option(4, low=1, high=50)  # data points, fewer than parameters
    d: int = option(10, low=2, high=200)  # parameters
    steps: int = option(400, low=1, high=10_000)  # steps of gradient descent

    relation = equals(ulps=2**20, scale=1.0)  # rows have condition number 2: 400 steps leave 1e-20
    supposes = Suppose(
        "the gradient lies in the span of the data",
        _outside,
        "With a penalty, the part of w in the kernel of X decays.",
        decay=0.1,
    )
    symbols = "w₀ + X⁺(y − Xw₀)", "end of gradient descent"
    shows = Along("Descent ends at the minimiser nearest to its start", x="coordinate")

    def given(self, rng: Generator) -> Given:
        U, _, Vt = torch.linalg.svd(normal(rng, self.n, self.d), full_matrices=False)
        s = torch.linspace(1, 2, len(Vt), dtype=torch.float64)
        return Given((U * s) @ Vt, normal(rng, self.n), normal(rng, self.d))

    def predict(self, given: Given) -> Tensor:
        X, y, w, _ = given
        inverse: Tensor = torch.linalg.pinv(X)
        return w + inverse @ (y - X @ w)

    def measure(self, given: Given) -> Kept:
        X, y, w, decay = given
        eta = 0.5 * len(X) / float(torch.linalg.matrix_norm(X, ord=2)) ** 2
        loss = LeastSquares(X, y, 1 / len(X))
        path = loss.descend(w, eta=eta, steps=self.steps, decay=decay)
        return Kept(path[-1], path=path[:60])

    @picture(
        "Without a penalty the part of w in the kernel of X is constant",
        x="step of gradient descent",
        y="length",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        X = trial.given.X
        for t in (trial, *trial.without):
            path, name, dashed = t.kept.path, f"; penalty {t.given.decay:g}", t is not trial
            kernel = _kernel_part(X, path)
            rows = (path - kernel - (path - kernel)[-1]).norm(dim=1)
            yield Curve(kernel.norm(dim=1), label="part in ker X" + name, dashed=dashed)
            yield Curve(rows, label="rest, to its end" + name, role="other", dashed=dashed)
