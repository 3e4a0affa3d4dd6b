r"""Three sums of squares with their derivatives in closed form.

.. math:: \nabla\|Ax-y\|^2=2A^\top(Ax-y),\qquad
    \partial_U\tfrac12\|UV-R\|_F^2=(UV-R)V^\top,\quad \partial_V=U^\top(UV-R)

:source: Lucchi (2025), Foundations of Deep Learning, Sections 1.3.4 and 1.7, Problem 2,
    (1.20)-(1.22), and Section 11, (11.4).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_finite


@dataclass(frozen=True)
class LeastSquares:
    r"""The loss :math:`s\|Ax-y\|^2`; s is 1, 1/2 or 1/n in the notes' chapters.

    Example:
        >>> loss = LeastSquares(torch.eye(2), torch.tensor([1.0, 2.0]))
        >>> loss.gradient(torch.zeros(2))
        tensor([-2., -4.])

    :covers: least-squares-gradient
    :erratum: [typo] (11.4) prints the gradient of (1/n) sum (y_i - w x_i)^2 as (1/n) sum (y_i -
        w x_i) x_i: the sign and a factor 2 are lost. The proof uses only that it lies in the span
        of the x_i, which is so; (1.21) is right.
    """

    A: Float[Tensor, "n d"]
    y: Float[Tensor, " k"]  # one for each row of A
    s: float = 1.0  # factor before the sum

    def __post_init__(self) -> None:
        check_finite("A", self.A)
        check_finite("y", self.y)
        if len(self.A) != len(self.y):
            raise InputError(
                f"A and y must have the same number of rows, got {len(self.A)} and {len(self.y)}"
            )

    def value(self, x: Float[Tensor, " d"]) -> Float[Tensor, ""]:
        """The loss."""
        return self.s * (self.A @ x - self.y).square().sum()

    def gradient(self, x: Float[Tensor, " d"]) -> Float[Tensor, " d"]:
        r""":math:`2sA^\top(Ax-y)`, in the row space of A."""
        return 2 * self.s * (self.A.T @ (self.A @ x - self.y))

    def hessian(self) -> Float[Tensor, "d d"]:
        r""":math:`2sA^\top A\succeq0`, everywhere."""
        return 2 * self.s * self.A.T @ self.A

    def descend(
        self, w: Float[Tensor, " d"], *, eta: float, steps: int, decay: float = 0.0
    ) -> Float[Tensor, "t d"]:
        r"""The path of gradient descent from w, start included.

        Args:
            w: Start.
            eta: Step size.
            steps: Number of steps.
            decay: Strength of a penalty :math:`\lambda\|w\|^2` that is added to the loss.
        """
        path = [w]
        for _ in range(steps):
            force = self.gradient(path[-1]) + 2 * decay * path[-1]
            path.append(path[-1] - eta * force)
        return torch.stack(path)

    def minimiser(self) -> Float[Tensor, " d"]:
        r"""The shortest minimiser :math:`A^+y`."""
        pseudoinverse: Tensor = torch.linalg.pinv(self.A)
        return pseudoinverse @ self.y


def ls_gradient(
    X: Float[Tensor, "n d"], y: Float[Tensor, " k"], w: Float[Tensor, " d"]
) -> Float[Tensor, " d"]:
    r"""Gradient :math:`-\frac2nX^\top(y-Xw)` of the mean squared error.

    Example:
        >>> ls_gradient(torch.ones(4, 1), torch.full((4,), 3.0), torch.zeros(1))
        tensor([-6.])
    """
    return LeastSquares(X, y, 1 / len(X)).gradient(w)


@dataclass(frozen=True)
class MatrixFactorization:
    r"""The loss :math:`\frac12\|UV-R\|_F^2` over factors of rank p.

    Example:
        >>> loss = MatrixFactorization(torch.eye(2), rank=1)
        >>> loss.best()  # half of the second singular value squared
        0.5

    :covers: matrix-factorization-gradients
    """

    R: Float[Tensor, "m n"]
    rank: int

    def __post_init__(self) -> None:
        check_finite("R", self.R)
        if not 1 <= self.rank <= min(self.R.shape):
            raise InputError(f"rank must lie between 1 and {min(self.R.shape)}, got {self.rank}")

    def value(self, U: Float[Tensor, "m p"], V: Float[Tensor, "p n"]) -> Float[Tensor, ""]:
        """The loss."""
        return 0.5 * (U @ V - self.R).square().sum()

    def gradients(
        self, U: Float[Tensor, "m p"], V: Float[Tensor, "p n"]
    ) -> tuple[Float[Tensor, "m p"], Float[Tensor, "p n"]]:
        r""":math:`(UV-R)V^\top` and :math:`U^\top(UV-R)`."""
        E = U @ V - self.R
        return E @ V.T, U.T @ E

    def start(self, *, rng: Generator) -> tuple[Float[Tensor, "m p"], Float[Tensor, "p n"]]:
        """Standard normal factors."""
        m, n = self.R.shape
        U = torch.randn(m, self.rank, generator=rng, device=rng.device, dtype=self.R.dtype)
        V = torch.randn(self.rank, n, generator=rng, device=rng.device, dtype=self.R.dtype)
        return U, V

    def alternate(
        self, V: Float[Tensor, "p n"], *, steps: int = 100
    ) -> tuple[Float[Tensor, "m p"], Float[Tensor, "p n"], list[float]]:
        r"""Minimise over U, then over V, and so on, with the loss after each step.

        The error of the column space shrinks by :math:`(\sigma_{p+1}/\sigma_p)^2` a step.
        """
        if steps < 1:
            raise InputError(f"steps must be at least 1, got {steps}")
        history = []
        for _ in range(steps):
            U = self.R @ torch.linalg.pinv(V)
            V = torch.linalg.pinv(U) @ self.R
            history.append(float(self.value(U, V)))
        return U, V, history

    def best(self) -> float:
        r"""The least loss, :math:`\frac12\sum_{i>p}\sigma_i(R)^2` (Eckart and Young)."""
        return float(0.5 * torch.linalg.svdvals(self.R)[self.rank :].square().sum())


class Link(NamedTuple):
    """A function of one variable with its first two derivatives."""

    function: Callable[[Tensor], Tensor]
    first: Callable[[Tensor], Tensor]
    second: Callable[[Tensor], Tensor]


LINKS = {
    "identity": Link(lambda z: z, torch.ones_like, torch.zeros_like),
    "sin": Link(torch.sin, torch.cos, lambda z: -torch.sin(z)),
    "tanh": Link(
        torch.tanh,
        lambda z: 1 - torch.tanh(z) ** 2,
        lambda z: -2 * torch.tanh(z) * (1 - torch.tanh(z) ** 2),
    ),
    "sigmoid": Link(
        torch.sigmoid,
        lambda z: torch.sigmoid(z) * torch.sigmoid(-z),
        lambda z: torch.sigmoid(z) * torch.sigmoid(-z) * (1 - 2 * torch.sigmoid(z)),
    ),
}


@dataclass(frozen=True)
class NonlinearLeastSquares:
    r"""The loss :math:`\frac1{2n}\sum_i(y_i-\ell(x_i^\top w))^2` with a link :math:`\ell`.

    With :math:`z_i=x_i^\top w` the gradient is :math:`-\frac1n\sum_i(y_i-\ell(z_i))\ell'(z_i)x_i`
    and the Hessian :math:`\frac1n\sum_i[\ell'(z_i)^2-(y_i-\ell(z_i))\ell''(z_i)]x_ix_i^\top`, whose
    first term is the Gauss-Newton part.

    Example:
        >>> loss = NonlinearLeastSquares(torch.ones(1, 1), torch.ones(1), LINKS["identity"])
        >>> loss.gradient(torch.zeros(1)), loss.hessian(torch.zeros(1))
        (tensor([-1.]), tensor([[1.]]))

    :covers: nonlinear-least-squares
    """

    x: Float[Tensor, "n d"]
    y: Float[Tensor, " k"]  # one for each row of x
    link: Link

    def __post_init__(self) -> None:
        LeastSquares(self.x, self.y)  # the same conditions

    def value(self, w: Float[Tensor, " d"]) -> Float[Tensor, ""]:
        """The loss."""
        return 0.5 * (self.y - self.link.function(self.x @ w)).square().mean()

    def gradient(self, w: Float[Tensor, " d"]) -> Float[Tensor, " d"]:
        """In closed form."""
        z = self.x @ w
        return -self.x.T @ ((self.y - self.link.function(z)) * self.link.first(z)) / len(z)

    def gauss_newton(self, w: Float[Tensor, " d"]) -> Float[Tensor, "d d"]:
        """The part of the Hessian that is never negative."""
        return self._weighted(self.link.first(self.x @ w) ** 2)

    def hessian(self, w: Float[Tensor, " d"]) -> Float[Tensor, "d d"]:
        """In closed form."""
        z = self.x @ w
        rest = (self.y - self.link.function(z)) * self.link.second(z)
        return self._weighted(self.link.first(z) ** 2 - rest)

    def _weighted(self, weights: Float[Tensor, " n"]) -> Float[Tensor, "d d"]:
        return self.x.T @ (weights[:, None] * self.x) / len(weights)
