"""What a convolution sees at each place: its input cut into patches."""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

Convolution = nn.Conv1d | nn.Conv2d | nn.Conv3d


def patches(x: Float[Tensor, "n c *s"], conv: Convolution) -> Float[Tensor, "n groups a t"]:
    """For every place t of the output the numbers that it is computed from, by group.

    Example:
        >>> conv = nn.Conv1d(1, 1, 2)
        >>> patches(torch.tensor([[[1.0, 2.0, 3.0]]]), conv)[0, 0].T.tolist()
        [[1.0, 2.0], [2.0, 3.0]]
    """
    mode = "constant" if conv.padding_mode == "zeros" else conv.padding_mode
    margins = list(conv._reversed_padding_repeated_twice)
    x = functional.pad(x, margins, mode=mode) if any(margins) else x
    axes = range(x.dim() - 2)
    steps = [(conv.kernel_size[i], conv.dilation[i], conv.stride[i]) for i in axes]
    out = [(x.shape[2 + i] - d * (k - 1) - 1) // s + 1 for i, (k, d, s) in enumerate(steps)]
    at, along = x.stride()[:2], x.stride()[2:]
    size = (*x.shape[:2], *conv.kernel_size, *out)
    inside = [along[i] * d for i, (_, d, _) in enumerate(steps)]
    between = [along[i] * s for i, (_, _, s) in enumerate(steps)]
    view = torch.as_strided(x, size, (*at, *inside, *between), x.storage_offset())
    return view.reshape(len(x), conv.groups, -1, math.prod(out))
