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
:cost: instant
:covers: least-squares-gradient
:erratum: [typo] (11.4) prints the gradient of (1/n) sum (y_i - w x_i)^2 as (1/n) sum (y_i - w x_i)
    x_i: the sign and a factor 2 are lost. The proof uses only that it lies in the span of the x_i,
    which is so; (1.21) is right.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.theory.prerequisites.quadratic_losses import LeastSquares, ls_gradient


class Given(NamedTuple):
    """Data, a start, and the strength of a penalty."""

    X: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    w: Float[Tensor, " d"]
    decay: float = 0.0  # lambda


class LeastSquaresRowSpace(Claim[Given]):
    n: int = option(4, low=1, high=50)  # data points, fewer than parameters
    d: int = option(10, low=2, high=200)  # parameters
    steps: int = option(400, low=1, high=10_000)  # steps of gradient descent
    relation = equals(ulps=2**20, scale=1.0)  # rows have condition number 2: 400 steps leave 1e-20

    def given(self, rng: Generator) -> Given:
        """Rows with singular values between 1 and 2."""
        normal = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        U, _, Vt = torch.linalg.svd(normal, full_matrices=False)
        s = torch.linspace(1, 2, len(Vt), dtype=torch.float64)
        y = torch.randn(self.n, generator=rng, dtype=torch.float64)
        return Given((U * s) @ Vt, y, torch.randn(self.d, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Whether the driving force at the start has a part in the kernel of X."""
        force = _force(given, given.w)
        outside = float((force - _onto_rows(given, force)).norm() / force.norm())
        detail = f"{outside:.1%} of it is outside"
        yield Hypothesis("the gradient lies in the span of the data", outside < 1e-12, detail)

    def predict(self, given: Given) -> list[float]:
        """The interpolating point nearest to the start."""
        X, y, w, _ = given
        return (w + torch.linalg.pinv(X) @ (y - X @ w)).tolist()

    def measure(self, given: Given) -> list[float]:
        """Gradient descent."""
        return _path(given, self.steps)[-1].tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A penalty."""
        return self.given(rng)._replace(decay=0.1)

    def figure(self, given: Given) -> Figure:
        """The parts of the way in the row space and in the kernel, without and with penalty."""
        marks = []
        for decay, style in ((0.0, False), (0.1, True)):
            path = _path(given._replace(decay=decay), 60)
            kernel = (path - _onto_rows(given, path)).norm(dim=1)
            rows = _onto_rows(given, path - path[-1]).norm(dim=1)
            name = "" if decay == 0 else ", penalty 0.1"
            marks += [
                Curve(kernel, label=f"part in ker X{name}", role="measured", dashed=style),
                Curve(
                    rows, label=f"row-space distance to the end{name}", role="other", dashed=style
                ),
            ]
        return Figure(
            "Without a penalty the kernel part of w never moves",
            x="step of gradient descent",
            y="length",
            marks=tuple(marks),
        )


def _force(given: Given, w: Tensor) -> Tensor:
    return ls_gradient(given.X, given.y, w) + 2 * given.decay * w


def _onto_rows(given: Given, w: Tensor) -> Tensor:
    return w @ (torch.linalg.pinv(given.X) @ given.X)


def _path(given: Given, steps: int) -> Tensor:
    X, y, w, decay = given
    eta = 0.5 * len(X) / float(torch.linalg.matrix_norm(X, ord=2)) ** 2
    return LeastSquares(X, y, 1 / len(X)).descend(w, eta=eta, steps=steps, decay=decay)
