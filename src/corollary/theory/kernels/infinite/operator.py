r"""A kernel matrix as an operator: products with it, never the matrix itself.

:math:`K v` is summed over blocks as they are computed, so n may be far larger than what a matrix
of :math:`n^2` entries would allow. :meth:`KernelOperator.scipy` hands it to SciPy's solvers.
Several processes can share the work: each computes its part of the blocks, and the products are
added up.
"""

from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
import torch.distributed as dist
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator

    from corollary.theory.kernels.infinite.network import Network


class KernelOperator:
    """``(n, m)`` kernel values of a network that are computed again whenever they are needed.

    Args:
        net: The network.
        x: Inputs of the rows.
        y: Inputs of the columns.
        which: The covariance at initialisation, or the tangent kernel.
        symmetric: Whether ``y`` is ``x``.
        shared: Whether the processes of torch's default group share each product. All of them must
            ask for the same products in the same order, and all get the whole result.

    Example:
        >>> from corollary.theory.kernels.infinite import Dense, network
        >>> x = torch.eye(3, dtype=torch.float64)
        >>> k = network(Dense()).operator(x)
        >>> (k @ torch.ones(3, dtype=torch.float64)).mul(3).round(decimals=12).tolist()
        [1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        net: "Network",
        x: Tensor,
        y: Tensor,
        which: Literal["nngp", "ntk"] = "ntk",
        *,
        symmetric: bool = False,
        shared: bool = False,
    ) -> None:
        if which not in ("nngp", "ntk"):
            raise InputError(f"which must be nngp or ntk, got '{which}'")
        self.net, self.x, self.y, self.which, self.symmetric = net, x, y, which, symmetric
        self.shared = shared and _grouped()
        self.shape = (len(x), len(y))
        self.dtype = x.dtype

    def __repr__(self) -> str:
        n, m = self.shape
        return f"{self.which.upper()} of a wide network as an operator, {n} x {m}"

    def __matmul__(self, v: Float[Tensor, "m *k"]) -> Float[Tensor, "n *k"]:
        """K v; one pass over the blocks, each used twice where the matrix is symmetric."""
        if v.shape[0] != self.shape[1]:
            raise InputError(
                f"the operator is {self.shape[0]} x {self.shape[1]}, but the vector has "
                f"{v.shape[0]} entries"
            )
        v = v.to(self.dtype)
        out = v.new_zeros(self.shape[0], *v.shape[1:])
        second = None if self.symmetric else self.y
        rank, world = (dist.get_rank(), dist.get_world_size()) if self.shared else (0, 1)
        ntk = self.which == "ntk"
        for tile in self.net.tiles(self.x, second, ntk=ntk, rank=rank, world=world):
            block = tile.block
            out[tile.rows] += block @ v[tile.cols]
            first = tile.mirrored(self.symmetric)
            if first < block.shape[1]:
                out[tile.cols.start + first : tile.cols.stop] += block[:, first:].T @ v[tile.rows]
        if self.shared:
            dist.all_reduce(out)
        return out

    @property
    def T(self) -> "KernelOperator":  # noqa: N802 - as tensors call it
        """The transpose."""
        return KernelOperator(
            self.net, self.y, self.x, self.which, symmetric=self.symmetric, shared=self.shared
        )

    def diagonal(self) -> Float[Tensor, " n"]:
        """K(x_i, x_i); for operators of one set of inputs."""
        if not self.symmetric:
            raise InputError("the diagonal exists for an operator on one set of inputs, not on two")
        return self.net.diagonal(self.x, ntk=self.which == "ntk").of(self.which)

    def scipy(self) -> "LinearOperator":
        """The same as a ``scipy.sparse.linalg.LinearOperator``."""
        from scipy.sparse.linalg import LinearOperator

        def product(v: np.ndarray) -> np.ndarray:
            return (self @ torch.as_tensor(v)).numpy()

        def transposed(v: np.ndarray) -> np.ndarray:
            return (self.T @ torch.as_tensor(v)).numpy()

        dtype = torch.empty(0, dtype=self.dtype).numpy().dtype
        return LinearOperator(
            self.shape, matvec=product, matmat=product, rmatvec=transposed, dtype=dtype
        )


def _grouped() -> bool:
    return dist.is_available() and dist.is_initialized()
