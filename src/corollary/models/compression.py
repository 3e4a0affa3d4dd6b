r"""Networks written down with few bits: rounded, pruned, or of low rank.

Each method returns a network whose parameters are decoded from q numbers on a grid of r values in
:math:`[-c,c]`. The grid is fixed before the data, so that the length of the code bounds the gap
(:mod:`corollary.theory.generalization.compression`).

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.4; Arora, Ge, Neyshabur and Zhang
    (2018), "Stronger generalization bounds for deep nets via a compression approach".
:covers: compression-bounds
"""

import copy
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.generalization.compression import code_length
from corollary.theory.networks.low_rank import truncated_svd

Method = Literal["quantize", "prune", "svd"]


class Compressed(NamedTuple):
    """A network and the code it can be written with."""

    model: nn.Module
    code: Float[Tensor, " q"]  # the numbers that are written down, each on the grid
    r: int  # values that each may take
    length: float  # of the code in nats, with the choice of positions
    distance: float  # relative change of all parameters together

    @property
    def q(self) -> int:
        """How many numbers are written down."""
        return len(self.code)


def on_grid(w: Float[Tensor, "..."], r: int, limit: float) -> Float[Tensor, "..."]:
    r"""Each number moved to the nearest of r equally spaced values from -limit to limit.

    Example:
        >>> on_grid(torch.tensor([-3.0, -0.2, 0.4]), 3, 1.0).tolist()
        [-1.0, 0.0, 0.0]
    """
    if r < 2 or not 0 < limit < float("inf"):
        raise InputError(f"a grid needs r >= 2 values and a limit > 0, got r={r}, {limit:g}")
    step = 2 * limit / (r - 1)
    place = ((w.clamp(-limit, limit) + limit) / step).round()
    return place * step - limit


def compress(
    model: nn.Module,
    method: Method = "quantize",
    *,
    r: int = 16,
    limit: float = 2.0,
    keep: int | None = None,
    rank: int | None = None,
) -> Compressed:
    """A compressed copy of a network; the network itself is left alone.

    Args:
        model: Any module.
        method: ``quantize`` rounds every parameter to the grid; ``prune`` keeps the largest ones,
            rounded, and sets the others to 0; ``svd`` replaces each matrix by the product of two
            rounded factors.
        r: Values of the grid.
        limit: Largest value of the grid; larger numbers are clipped.
        keep: Parameters that ``prune`` keeps.
        rank: Rank of the matrices for ``svd``; matrices no larger than their factors, and biases,
            are rounded as they are.

    Example:
        >>> layer = nn.Linear(3, 1, bias=False)
        >>> _ = layer.weight.data.copy_(torch.tensor([[1.9, -0.1, 0.9]]))
        >>> small = compress(layer, "prune", r=5, keep=2)
        >>> small.model.weight.tolist(), small.q, layer.weight.tolist()[0][1] < 0
        ([[2.0, 0.0, 1.0]], 2, True)
    """
    small = copy.deepcopy(model)
    parameters = [p for p in small.parameters() if p.is_floating_point()]
    before = [p.detach().clone() for p in parameters]
    with torch.no_grad():
        if method == "quantize":
            code, length = _quantize(parameters, r, limit)
        elif method == "prune":
            code, length = _prune(parameters, r, limit, keep)
        elif method == "svd":
            code, length = _factor(parameters, r, limit, rank)
        else:
            raise InputError(f"expected method to be 'quantize', 'prune' or 'svd', got {method!r}")
    pairs = zip(parameters, before, strict=True)
    moved = sum(float((p.detach() - b).square().sum()) for p, b in pairs)
    size = sum(float(b.square().sum()) for b in before) or 1.0
    return Compressed(small, code, r, length, (moved / size) ** 0.5)


def _quantize(parameters: list[nn.Parameter], r: int, limit: float) -> tuple[Tensor, float]:
    for p in parameters:
        p.copy_(on_grid(p, r, limit))
    code = torch.cat([p.detach().flatten() for p in parameters])
    return code, code_length(len(code), r)


def _prune(
    parameters: list[nn.Parameter], r: int, limit: float, keep: int | None
) -> tuple[Tensor, float]:
    flat = torch.cat([p.flatten() for p in parameters])
    if keep is None or not 1 <= keep <= len(flat):
        raise InputError(f"pruning needs keep from 1 to {len(flat)} parameters, got {keep}")
    chosen = flat.abs().topk(keep).indices.sort().values
    code = on_grid(flat[chosen], r, limit)
    flat = torch.zeros_like(flat).scatter(0, chosen, code)
    for p, part in zip(parameters, flat.split([p.numel() for p in parameters]), strict=True):
        p.copy_(part.view_as(p))
    return code, code_length(keep, r, Q=len(flat))


def _factor(
    parameters: list[nn.Parameter], r: int, limit: float, rank: int | None
) -> tuple[Tensor, float]:
    if rank is None or rank < 1:
        raise InputError(f"low-rank factors need rank >= 1, got {rank}")
    code: list[Tensor] = []
    for p in parameters:
        a, b = (p.shape[0], p.numel() // p.shape[0]) if p.ndim >= 2 else (1, p.numel())
        if rank * (a + b) >= a * b:
            p.copy_(on_grid(p, r, limit))
            code.append(p.detach().flatten())
            continue
        U, s, Vt = truncated_svd(p.reshape(a, b), rank)
        left, right = on_grid(U * s.sqrt(), r, limit), on_grid(s.sqrt()[:, None] * Vt, r, limit)
        p.copy_((left @ right).view_as(p))
        code += [left.flatten(), right.flatten()]
    written = torch.cat(code)
    return written, code_length(len(written), r)
