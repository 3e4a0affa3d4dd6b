r"""Means of n functions, with the gradients of single ones for many points at once.

.. math:: f(x)=\frac1n\sum_{i=1}^nf_i(x),\qquad f_i(x)=\varphi(a_i^\top x-b_i) .

Every problem of this chapter is of that form: one row, one target, one function of their
difference. A gradient is then a number times a row, so that thousands of runs, each with its own
rows, cost one gather and one product.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.networks.least_squares import ols
from corollary.theory.prerequisites.wellformed import check_finite

Elementwise = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class FiniteSum:
    """The mean above, with its constants."""

    name: str
    A: Float[Tensor, "n d"]  # rows
    b: Float[Tensor, " n"]  # targets
    phi: Elementwise
    slope: Elementwise  # the derivative of phi
    L: float  # smoothness of the mean
    minimiser: Float[Tensor, " d"]  # NaN where none is known
    minimum: float  # value there, or a lower bound

    def __post_init__(self) -> None:
        check_finite("A", self.A)
        check_finite("b", self.b)

    @property
    def n(self) -> int:
        """How many functions."""
        return len(self.A)

    def value(self, x: Float[Tensor, "*r d"]) -> Float[Tensor, "*r"]:
        """The mean at each point."""
        return self.phi(x @ self.A.T - self.b).mean(dim=-1)

    def gradient(self, x: Float[Tensor, "*r d"]) -> Float[Tensor, "*r d"]:
        """The gradient of the mean at each point."""
        return self.slope(x @ self.A.T - self.b) @ self.A / self.n

    def components(self, x: Float[Tensor, "*r d"]) -> Float[Tensor, "*r n d"]:
        """The gradients of all functions at each point."""
        return self.slope(x @ self.A.T - self.b)[..., None] * self.A

    def batch_gradient(
        self, x: Float[Tensor, "r d"], i: Int[Tensor, "r m"]
    ) -> Float[Tensor, "r d"]:
        """The mean gradient of the functions ``i[r]`` at the point ``x[r]``, for each r."""
        rows = self.A[i]  # r m d
        z = (rows * x[:, None]).sum(dim=-1) - self.b[i]  # r m; faster than r small products
        return (self.slope(z)[..., None] * rows).sum(dim=1) / i.shape[1]


def squares(X: Float[Tensor, "n d"], y: Float[Tensor, " n"], *, scale: float = 1.0) -> FiniteSum:
    r"""Least squares: :math:`f_i(w)=\frac s2(x_i^\top w-y_i)^2`; with s = n the mean is the sum.

    Example:
        >>> o = squares(torch.tensor([[1.0], [1.0]]).double(), torch.tensor([0.0, 2.0]).double())
        >>> [round(v, 9) for v in (o.minimiser.item(), o.minimum, o.L)]
        [1.0, 0.5, 1.0]
    """
    solved = ols(X, y)
    L = scale * float(torch.linalg.matrix_norm(X, 2)) ** 2 / len(X)

    def phi(z: Tensor) -> Tensor:
        return 0.5 * scale * z.square()

    minimum = float(phi(X @ solved.w - y).mean())
    return FiniteSum("least squares", X, y, phi, lambda z: scale * z, L, solved.w, minimum)


def cosines(W: Float[Tensor, "n d"], b: Float[Tensor, " n"]) -> FiniteSum:
    r"""A landscape of waves: :math:`f_i(x)=1+\cos(w_i^\top x-b_i)`, above 0, not convex.

    Gradients are no longer than the rows, and :math:`L=\frac1n\|W\|^2`.

    Example:
        >>> o = cosines(torch.tensor([[2.0]]), torch.tensor([0.0]))
        >>> o.L, o.value(torch.zeros(1)).item()
        (4.0, 2.0)
    """
    L = float(torch.linalg.matrix_norm(W, 2)) ** 2 / len(W)
    nowhere = torch.full_like(W[0], torch.nan)
    return FiniteSum(
        "waves", W, b, lambda z: 1 + torch.cos(z), lambda z: -torch.sin(z), L, nowhere, 0.0
    )


def duplicated(problem: FiniteSum, copies: int) -> FiniteSum:
    """The same mean with every function written down ``copies`` times: redundant data.

    Example:
        >>> o = cosines(torch.tensor([[2.0]]), torch.tensor([0.0]))
        >>> duplicated(o, 5).n
        5
    """
    if copies < 1:
        raise InputError(f"copies must be at least 1, got {copies}")
    A, b = problem.A.repeat(copies, 1), problem.b.repeat(copies)
    return replace(problem, A=A, b=b)
