"""Symmetric linear maps known by their products with vectors.

Everything in this package that estimates (eigenvalues, trace, density) asks an operator for
products only. :class:`Explicit` wraps a matrix; the others are made from a landscape.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError, NotFiniteError
from corollary.theory.seeding import as_generator

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator


class Curvature(ABC):
    """A symmetric p x p map. ``A @ v`` takes a vector or a block of columns."""

    size: int
    dtype: torch.dtype
    device: torch.device
    path: str = ""  # how products are computed, in words
    products: int = 0  # how many were computed so far

    @abstractmethod
    def _product(self, v: Tensor) -> Tensor:
        """The map applied to one vector."""

    def product(self, v: Float[Tensor, " p"]) -> Float[Tensor, " p"]:
        """The map applied to one vector."""
        self.products += 1
        return self._product(v)

    def rows(self, V: Float[Tensor, "m p"]) -> Float[Tensor, "m p"]:
        """The map applied to each row."""
        return torch.stack([self.product(v) for v in V])

    def __matmul__(self, v: Tensor) -> Tensor:
        if v.ndim not in (1, 2) or v.shape[0] != self.size:
            raise InputError(
                f"a product needs a vector of length {self.size} or a block of such columns, "
                f"got shape {tuple(v.shape)}"
            )
        v = v.detach().to(device=self.device, dtype=self.dtype)
        return self.product(v) if v.ndim == 1 else self.rows(v.T.contiguous()).T

    def dense(self, *, limit: int = 10_000) -> Float[Tensor, "p p"]:
        """The whole matrix, by p products; refuses beyond ``limit`` coordinates."""
        if self.size > limit:
            raise InputError(
                f"a dense matrix with {self.size} rows takes {self.size} products and "
                f"{8 * self.size**2 / 2**30:.1f} GiB; to compute it anyway, raise limit="
            )
        return self @ torch.eye(self.size, dtype=self.dtype, device=self.device)

    def random(self, *, rng: int | Generator = 0) -> Float[Tensor, " p"]:
        """A standard normal vector of the right kind."""
        rng = as_generator(rng)
        v = torch.randn(self.size, generator=rng, device=rng.device, dtype=self.dtype)
        return v.to(self.device)

    def to_scipy(self) -> "LinearOperator":
        """For SciPy's solvers; vectors cross as NumPy arrays."""
        from scipy.sparse.linalg import LinearOperator

        def apply(v: np.ndarray) -> np.ndarray:  # SciPy hands a column now and then
            return (self @ torch.from_numpy(v.copy())).cpu().numpy()

        kind = torch.empty(0, dtype=self.dtype).numpy().dtype
        shape = (self.size, self.size)
        return LinearOperator(
            shape,
            matvec=lambda v: apply(v.reshape(-1)),
            rmatvec=lambda v: apply(v.reshape(-1)),
            matmat=apply,
            dtype=kind,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.size} x {self.size}; {self.path})"


class Explicit(Curvature):
    """A symmetric matrix as an operator.

    Example:
        >>> A = Explicit(torch.tensor([[2.0, 1.0], [1.0, 0.0]]))
        >>> (A @ torch.tensor([1.0, 1.0])).tolist()
        [3.0, 1.0]
    """

    path = "a matrix in memory"

    def __init__(self, matrix: Float[Tensor, "p p"]) -> None:
        if not bool(torch.isfinite(matrix).all()):
            raise NotFiniteError("the matrix has entries that are not finite")
        scale = float(matrix.abs().max())
        if float((matrix - matrix.T).abs().max()) > 1e3 * torch.finfo(matrix.dtype).eps * scale:
            raise InputError("the matrix must be symmetric, but it differs from its transpose")
        self.matrix, self.size = matrix, len(matrix)
        self.dtype, self.device = matrix.dtype, matrix.device

    def _product(self, v: Tensor) -> Tensor:
        return self.matrix @ v

    def rows(self, V: Float[Tensor, "m p"]) -> Float[Tensor, "m p"]:
        """The map applied to each row, as one matrix product."""
        self.products += len(V)
        return V @ self.matrix
