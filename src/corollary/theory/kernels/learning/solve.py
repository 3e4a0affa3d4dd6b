r"""Linear systems with a kernel: Cholesky with a little jitter, or conjugate gradients.

Rounding makes a positive semi-definite K look indefinite by about :math:`n\epsilon\|K\|`. So the
factorisation is tried as it is, then with jitter of that size on the diagonal, ten times more, and
so on up to a limit; how much it took is told. Conjugate gradients need only products with K.

:source: Rasmussen and Williams (2006), "Gaussian processes for machine learning", Section 2.2;
    Golub and Van Loan (2013), "Matrix computations", Section 11.3.
"""

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError, NotFiniteError
from corollary.theory.prerequisites.wellformed import check_at_least
from corollary.theory.wording import sizes


@runtime_checkable
class Product(Protocol):
    """Anything that K v can be written with: a tensor or an operator."""

    def __matmul__(self, v: Tensor, /) -> Tensor:
        """K v."""


class Factor(NamedTuple):
    """A Cholesky factor of K + (ridge + jitter) I."""

    lower: Tensor
    jitter: float

    def __repr__(self) -> str:
        return f"Cholesky factor, {sizes(self.lower)}, with jitter {self.jitter:.2g}"

    def solve(self, y: Float[Tensor, "n *c"]) -> Float[Tensor, "n *c"]:
        """The solution for right-hand sides y."""
        columns = y.reshape(len(y), -1)
        half = torch.linalg.solve_triangular(self.lower, columns, upper=False)  # copies no factor
        x: Tensor = torch.linalg.solve_triangular(self.lower.mT, half, upper=True)
        return x.reshape(y.shape)


def cholesky(
    k: Float[Tensor, "n n"], *, ridge: float = 0.0, most: float = 1e-6, overwrite: bool = False
) -> Factor:
    r"""Factorise, with as little jitter as it takes; time :math:`n^3/3`.

    Args:
        k: Symmetric and positive semi-definite up to rounding.
        ridge: Added to the diagonal on purpose.
        most: The largest jitter, relative to the mean of the diagonal; beyond it K is refused.
        overwrite: Change K's diagonal in place instead of copying K; for large matrices.

    Example:
        >>> cholesky(4 * torch.eye(2)).solve(torch.tensor([4.0, 8.0])).tolist()
        [1.0, 2.0]
    """
    n = len(k)
    if n == 0:
        raise InputError("expected a kernel with at least one input, got none")
    if not ridge >= 0:
        raise InputError(f"the ridge must be at least 0, got {ridge}")
    if not 0 <= most < math.inf:
        raise InputError(f"the largest jitter must be a number >= 0, got {most}")
    diagonal = k.diagonal().clone()
    size = float(diagonal.mean())
    step = n * torch.finfo(k.dtype).eps * size
    jitters = [0.0]
    while 0 < step <= most * size:
        jitters.append(step)
        step *= 10
    for jitter in jitters:
        shifted = k if overwrite else k.clone()
        shifted.diagonal().copy_(diagonal + (ridge + jitter))
        lower, failed = torch.linalg.cholesky_ex(shifted)
        if not bool(failed):
            return Factor(lower, jitter)
    raise InputError(
        f"K of {n} inputs is singular, and a jitter of {most:g} times its diagonal does not "
        "make it positive definite; inputs repeat, or there are fewer features than inputs; "
        "pass a ridge"
    )


class Solved(NamedTuple):
    """A solution by iteration."""

    solution: Tensor
    residual: float  # relative, of the worst right-hand side
    steps: int

    def __repr__(self) -> str:
        return f"solved in {self.steps} steps to the relative residual {self.residual:.2g}"


def conjugate_gradients(
    k: Product,
    y: Float[Tensor, "n *c"],
    *,
    ridge: float = 0.0,
    tolerance: float = 1e-6,
    steps: int = 1000,
    diagonal: Float[Tensor, " n"] | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Solved:
    r"""Solve :math:`(K + \lambda)a = y` by products with K, all right-hand sides side by side.

    The error shrinks by :math:`(\sqrt\kappa-1)/(\sqrt\kappa+1)` a step, :math:`\kappa` the
    condition number of :math:`K + \lambda`.

    Args:
        k: A matrix, or an operator with ``@``.
        y: Right-hand sides.
        ridge: Added to the diagonal.
        tolerance: Relative residual at which to stop.
        steps: At most so many products.
        diagonal: K's diagonal, to precondition with.
        progress: Told the step and the relative residual.

    Example:
        >>> conjugate_gradients(4 * torch.eye(2), torch.tensor([4.0, 8.0])).solution.tolist()
        [1.0, 2.0]
    """
    check_at_least("tolerance", tolerance, 0)
    check_at_least("steps", steps, 0)
    b = y.reshape(len(y), -1)
    scale = torch.ones_like(b[:, :1]) if diagonal is None else 1 / (diagonal[:, None] + ridge)
    a, rest = torch.zeros_like(b), b.clone()
    z = scale * rest
    direction, rho = z, (rest * z).sum(0)
    size = b.norm(dim=0).clamp(min=torch.finfo(b.dtype).tiny)
    residual, done = float((rest.norm(dim=0) / size).max()), 0
    while residual > tolerance and done < steps:
        moved = k @ direction + ridge * direction
        step = _ratio(rho, (direction * moved).sum(0))
        a, rest = a + step * direction, rest - step * moved
        z = scale * rest
        rho, before = (rest * z).sum(0), rho
        direction = z + _ratio(rho, before) * direction
        residual, done = float((rest.norm(dim=0) / size).max()), done + 1
        if progress is not None:
            progress(done, residual)
    if done:  # in a singular system the recurrence may fall to zero while the solution runs away
        residual = float(((b - k @ a - ridge * a).norm(dim=0) / size).max())
    if math.isnan(residual):
        raise NotFiniteError(f"the residual is NaN after {done} steps: k, y or ridge is not finite")
    return Solved(a.reshape(y.shape), residual, done)


def _ratio(a: Tensor, b: Tensor) -> Tensor:
    """A / b, and 0 for right-hand sides that are solved already."""
    return torch.where(b > 0, a / torch.where(b > 0, b, 1.0), 0.0)
