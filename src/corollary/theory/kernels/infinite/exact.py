"""Lengths and gaps of inputs in float64, for the pairs where a Gram matrix has lost digits."""

import torch
from torch import Tensor

from corollary.theory.kernels.infinite.chain_kernel import signed


def lengths(rows: Tensor) -> Tensor:
    """Euclidean lengths in float64, a few rows at a time."""
    out = rows.new_empty(len(rows), dtype=torch.float64)
    for part, target in zip(rows.split(64), out.split(64), strict=True):
        torch.linalg.vector_norm(part.double(), dim=1, out=target)
    return out


def fine_gaps(x: Tensor, y: Tensor) -> Tensor:
    """All gaps from a Gram matrix in float64."""
    cosine = (_unit(x) @ _unit(y).T).clamp_(-1, 1)
    g = torch.where(cosine < 0, 1 + cosine, 1 - cosine)
    g[g < 8 * torch.finfo(g.dtype).eps] = 0
    return signed(g, cosine >= 0).to(x.dtype)


def near_gaps(u: Tensor, x: Tensor, y: Tensor, small: float) -> None:
    """Half the squared distance of the normalised inputs (or of one from minus the other)."""
    where = (u.abs() < small).nonzero()
    for part in where.split(max(1, 2**19 // x.shape[1])):  # 4 MiB of rows at a time
        i, j = part.unbind(1)
        near = u[i, j] >= 0
        other = torch.where(near, 1.0, -1.0).double()[:, None] * _unit(y[j])
        g = ((_unit(x[i]) - other) ** 2).sum(1).div(2)
        u[i, j] = signed(g, near).to(u.dtype)


def _unit(x: Tensor) -> Tensor:
    """Rows of length 1 in float64; a zero row stays."""
    return torch.nn.functional.normalize(x.double(), dim=1, eps=1e-300)
