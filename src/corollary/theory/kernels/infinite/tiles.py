"""The kernel matrix in blocks: which ones, by whom, and put together."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.compiled import Backend
from corollary.theory.kernels.infinite.chain import ChainBlocks, as_chain
from corollary.theory.kernels.infinite.images import ImageBlocks, image_blocks, placed
from corollary.theory.kernels.infinite.network import Kernels, Network
from corollary.theory.kernels.symmetric import mirror, mirrored
from corollary.theory.prerequisites.wellformed import check_at_least


class Tile(NamedTuple):
    """One block. Of a symmetric matrix only columns from ``rows.start`` on are given."""

    rows: slice
    cols: slice
    nngp: Tensor
    ntk: Tensor | None

    @property
    def block(self) -> Tensor:
        """The tangent kernel if that was asked for, else the covariance."""
        return self.nngp if self.ntk is None else self.ntk

    def symmetric(self) -> "Tile":
        """The same, with a square on the diagonal that is symmetric to the last bit."""
        if self.rows.start == self.cols.start:
            for matrix in (self.nngp, self.ntk):
                if matrix is not None:
                    mirror(matrix[:, : len(matrix)])
        return self

    def mirrored(self, symmetric: bool) -> int:
        """The first column of the block that also stands, transposed, below the diagonal."""
        return max(self.rows.stop - self.cols.start, 0) if symmetric else self.nngp.shape[1]


class GraphBlocks:
    """Blocks of any network, in float64 inside."""

    def __init__(
        self, net: Network, x: Tensor, y: Tensor, *, ntk: bool, backend: Backend, memory: int
    ) -> None:
        self.net, self.x, self.y, self.ntk, self.backend = net, x, y, ntk, backend
        self.side = self._side(memory)

    def _side(self, memory: int) -> tuple[int, int]:
        """Rows and columns such that about ten arrays of a block fit, and a few stay in cache."""
        shape = self.x.shape[2:] if self.net.channels == "first" else self.x.shape[1:-1]
        places = math.prod(shape) ** (2 if self.net.plan.full else 1)
        pairs = max(1, min(memory // (80 * places), CACHED_ENTRIES // places))
        rows = max(1, math.isqrt(pairs))
        return rows, max(1, pairs // rows)

    def block(
        self, rows: slice, cols: slice, out: Kernels | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """One block in the dtype of the inputs, written into ``out`` if that is given."""
        same = rows.start - cols.start if self.x is self.y else None
        x, y = self.x[rows], self.y[cols]
        state = self.net.run(x, y, ntk=self.ntk, backend=self.backend, same=same)
        return placed(state, rows, cols, out, self.x.dtype)


CACHED_ENTRIES = 65_536  # of an array in float64: half a mebibyte


def stream(
    net: Network,
    x: Tensor,
    y: Tensor | None,
    *,
    ntk: bool = True,
    rank: int = 0,
    world: int = 1,
    backend: Backend = "auto",
    memory: int = 32 * 2**20,
) -> Iterator[Tile]:
    """Blocks ``rank``, ``rank + world``, ... of the matrix, computed as they are taken."""
    check_at_least("memory", memory, 1)
    if not 0 <= rank < world:
        raise InputError(f"rank must lie in 0..{world - 1}, got {rank}")
    blocks = _blocks(net, x, y, ntk=ntk, backend=backend, memory=memory)
    places = _places(len(x), len(x if y is None else y), blocks.side, symmetric=y is None)
    tiles = (Tile(r, c, *blocks.block(r, c)) for r, c in places[rank::world])
    return (tile.symmetric() for tile in tiles) if y is None else tiles


def assemble(
    net: Network,
    x: Tensor,
    y: Tensor | None,
    *,
    ntk: bool,
    backend: Backend,
    memory: int,
    out: Kernels | None,
) -> Kernels:
    """The whole matrix, block by block; as one block where derivatives are wanted."""
    if _differentiable(net, x, y):
        same = 0 if y is None else None
        state = net.run(x, x if y is None else y, ntk=ntk, same=same)
        if y is not None:
            return Kernels(state.nngp, state.ntk)
        tangent = None if state.ntk is None else mirrored(state.ntk)
        return Kernels(mirrored(state.nngp), tangent)
    blocks = _blocks(net, x, y, ntk=ntk, backend=backend, memory=memory)
    n, m = len(x), len(x if y is None else y)
    if out is None:
        out = Kernels(_matrix(x, n, m), _matrix(x, n, m) if ntk else None)
    _check_out(out, x, n, m, ntk=ntk)
    if isinstance(blocks, ChainBlocks):
        blocks.multiply(out.nngp)
    for rows, cols in _places(n, m, blocks.side, symmetric=y is None):
        blocks.block(rows, cols, out)
        if y is None:
            for matrix in out:
                if matrix is not None:
                    _mirror(matrix, rows, cols)
    return out


def _mirror(matrix: Tensor, rows: slice, cols: slice) -> None:
    """Write a block of the upper half below the diagonal, too."""
    if rows.start == cols.start:
        mirror(matrix[rows, rows])
    below = slice(max(rows.stop, cols.start), cols.stop)
    if below.start < below.stop:
        matrix[below, rows] = matrix[rows, below].T


def _blocks(
    net: Network, x: Tensor, y: Tensor | None, *, ntk: bool, backend: Backend, memory: int
) -> "ChainBlocks | ImageBlocks | GraphBlocks":
    x = x.detach()
    y = x if y is None else y.detach()  # the same object: the diagonal is then known
    chain = as_chain(net, x)
    if chain is not None:
        return ChainBlocks(chain, x, y, ntk=ntk, backend=backend, memory=memory)
    images = image_blocks(net, x, y, ntk=ntk, backend=backend)
    return images or GraphBlocks(net, x, y, ntk=ntk, backend=backend, memory=memory)


def _matrix(x: Tensor, n: int, m: int) -> Tensor:
    """An output like x; NumPy asks for large pages, which a first write fills ten times faster."""
    if x.device.type != "cpu" or x.dtype not in (torch.float32, torch.float64):
        return x.new_empty(n, m)
    return torch.from_numpy(np.empty((n, m), "f4" if x.dtype == torch.float32 else "f8"))


def _check_out(out: Kernels, x: Tensor, n: int, m: int, *, ntk: bool) -> None:
    for name in ("nngp", "ntk") if ntk else ("nngp",):
        matrix = getattr(out, name)
        if matrix is None or tuple(matrix.shape) != (n, m) or matrix.dtype != x.dtype:
            got = "None" if matrix is None else f"{tuple(matrix.shape)} of {matrix.dtype}"
            raise InputError(f"out.{name} must be ({n}, {m}) of {x.dtype}, got {got}")


def _places(
    n: int, m: int, side: tuple[int, int], *, symmetric: bool
) -> Sequence[tuple[slice, slice]]:
    """Row and column ranges; for symmetric matrices columns start at the diagonal."""
    tall, wide = side
    return [
        (slice(i, min(i + tall, n)), slice(j, min(j + wide, m)))
        for i in range(0, n, tall)
        for j in range(i if symmetric else 0, m, wide)
    ]


def _differentiable(net: Network, x: Tensor, y: Tensor | None) -> bool:
    if not torch.is_grad_enabled():
        return False
    sigmas = (
        value
        for step in net.steps
        for value in vars(step.layer).values()
        if isinstance(value, Tensor)
    )
    tensors = [x, *([] if y is None else [y]), *sigmas]
    return any(t.requires_grad for t in tensors)
