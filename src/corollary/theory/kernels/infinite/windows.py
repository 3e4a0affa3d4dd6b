"""Sums over windows of positions: joint ones for convolutions, separate ones for pooling."""

from functools import reduce

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

PADDINGS = ("zeros", "circular", "reflect", "replicate")
Amounts = tuple[int | tuple[int, int], ...]  # for each axis a number, or one before and one after


def both_ends(amounts: Amounts) -> tuple[tuple[int, int], ...]:
    """Two numbers for each axis.

    Example:
        >>> both_ends((1, (0, 2)))
        ((1, 1), (0, 2))
    """
    return tuple((p, p) if isinstance(p, int) else p for p in amounts)


def joint_window_mean(
    t: Float[Tensor, "..."],
    where: tuple[int, ...],
    size: int,
    *,
    stride: int = 1,
    dilation: int = 1,
    padding: tuple[int, int] = (0, 0),
    mode: str = "zeros",
) -> Float[Tensor, "..."]:
    r"""The mean of :math:`t(\dots, s + a, \dots, s' + a, \dots)` over :math:`0 \le a <` ``size``.

    The axes ``where`` (one or two of them) move together: a convolution meets both inputs with
    the same weight, so only equal offsets are correlated.

    Example:
        >>> joint_window_mean(torch.arange(4.0), (0,), 2).tolist()
        [0.5, 1.5, 2.5]
    """
    for axis in where:
        t = pad(t, axis, padding, mode)
    reach = dilation * (size - 1) + 1
    if t.shape[where[0]] < reach:
        raise InputError(
            f"a window of {reach} positions does not fit into {t.shape[where[0]]} (with padding)"
        )
    out = (t.shape[where[0]] - reach) // stride + 1
    parts = []
    for a in range(size):
        index: list[slice] = [slice(None)] * t.ndim
        for axis in where:
            start = a * dilation
            index[axis] = slice(start, start + (out - 1) * stride + 1, stride)
        parts.append(t[tuple(index)])
    return reduce(torch.add, parts) / size


def window_mean(
    t: Float[Tensor, "..."], axis: int, size: int, stride: int, padding: int, count_padding: bool
) -> Float[Tensor, "..."]:
    """Pooling along one axis; without ``count_padding`` each window divides by its real size."""
    pooled = joint_window_mean(t, (axis,), size, stride=stride, padding=(padding, padding))
    if padding == 0 or count_padding:
        return pooled
    ones = t.new_ones(t.shape[axis])
    share = joint_window_mean(ones, (0,), size, stride=stride, padding=(padding, padding))
    shape = [1] * pooled.ndim
    shape[axis] = -1
    return pooled / share.reshape(shape)


def pad(t: Tensor, axis: int, amount: tuple[int, int], mode: str) -> Tensor:
    """Extend one axis at both ends, as convolutions do."""
    low, high = amount
    if low == high == 0:
        return t
    if mode == "zeros":
        return F.pad(t, [0, 0] * (t.ndim - 1 - axis) + [low, high])
    n = t.shape[axis]
    place = torch.arange(-low, n + high, device=t.device)
    if mode == "circular":
        place = place % n
    elif mode == "replicate":
        place = place.clamp(0, n - 1)
    elif mode == "reflect":
        place = (n - 1 - ((n - 1) - place.abs()).abs()).abs()
    else:
        raise InputError(f"padding mode must be one of {', '.join(PADDINGS)}, got '{mode}'")
    return t.index_select(axis, place)
