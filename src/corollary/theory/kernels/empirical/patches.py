"""What a convolution sees at each place: its input cut into patches."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

Sizes = int | Sequence[int]


def patches(
    x: Float[Tensor, "n c *s"],
    kernel_size: Sequence[int],
    *,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Float[Tensor, "n groups a t"]:
    """For every place t of the output the numbers that it is computed from, by group.

    Example:
        >>> patches(torch.tensor([[[1.0, 2.0, 3.0]]]), [2])[0, 0].T.tolist()
        [[1.0, 2.0], [2.0, 3.0]]
    """
    axes = len(kernel_size)
    strides, dilations = _sizes(stride, axes), _sizes(dilation, axes)
    margins = _margins(padding, kernel_size, dilations)
    x = functional.pad(x, margins) if any(margins) else x
    steps = list(zip(kernel_size, dilations, strides, strict=True))
    out = [(x.shape[2 + i] - d * (k - 1) - 1) // s + 1 for i, (k, d, s) in enumerate(steps)]
    at, along = x.stride()[:2], x.stride()[2:]
    size = (*x.shape[:2], *kernel_size, *out)
    inside = [along[i] * d for i, (_, d, _) in enumerate(steps)]
    between = [along[i] * s for i, (_, _, s) in enumerate(steps)]
    view = torch.as_strided(x, size, (*at, *inside, *between), x.storage_offset())
    return view.reshape(len(x), groups, -1, math.prod(out))


def _sizes(size: Sizes, axes: int) -> list[int]:
    """One number for every axis."""
    if isinstance(size, int):
        return [size] * axes
    return list(size) * axes if len(size) == 1 else list(size)


def _margins(
    padding: Sizes | str, kernel_size: Sequence[int], dilations: Sequence[int]
) -> list[int]:
    """Zeros before and after each axis, the last axis first, as ``pad`` wants them."""
    if isinstance(padding, str):
        spans = [d * (k - 1) for k, d in zip(kernel_size, dilations, strict=True)]
        both = [(s // 2, s - s // 2) if padding == "same" else (0, 0) for s in spans]
    else:
        both = [(p, p) for p in _sizes(padding, len(kernel_size))]
    return [margin for pair in reversed(both) for margin in pair]
