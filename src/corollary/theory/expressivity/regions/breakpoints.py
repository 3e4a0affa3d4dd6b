r"""Where layers bend: the table of layers that are affine, or affine between known thresholds.

An elementwise layer is described by its thresholds :math:`\kappa`: it is affine wherever no
:math:`z_i - \kappa` changes sign. A maximum over a window is a tournament: with
:math:`r_j = \max_{i\le j} z_i` it is affine wherever no :math:`z_{j+1} - r_j` changes sign, and
:math:`r_j` is itself affine once the rounds before :math:`j` have been looked at.
"""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

AFFINE_MODULES: tuple[type[nn.Module], ...] = (
    *(nn.Linear, nn.Identity, nn.Flatten, nn.Unflatten, nn.PixelShuffle, nn.Upsample),
    *(nn.Conv1d, nn.Conv2d, nn.Conv3d),
    *(nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d),
    *(nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d),
    *(nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d),
    *(nn.AvgPool1d, nn.AvgPool2d, nn.AvgPool3d),
    *(nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool3d),
    *(nn.ZeroPad1d, nn.ZeroPad2d, nn.ZeroPad3d),
)

# Functions and methods that are affine in their tensors, or only move numbers about.
AFFINE_NAMES = frozenset(
    "add iadd sub isub neg rsub __add__ __radd__ __sub__ mean sum flatten view reshape permute "
    "transpose t movedim contiguous squeeze unsqueeze cat stack narrow chunk split size getitem "
    "getattr avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d dropout pad "
    "double float".split()
)

# Linear in each argument: affine when only one argument depends on the input.
PRODUCT_NAMES = frozenset(
    "mul imul truediv div matmul mm bmm linear conv1d conv2d conv3d einsum dot".split()
)

POOL_NAMES = frozenset({"max_pool1d", "max_pool2d"})


def module_thresholds(module: nn.Module) -> tuple[float, ...] | None:
    """Where an elementwise layer bends, or ``None`` if it is not of that kind.

    Example:
        >>> module_thresholds(nn.ReLU()), module_thresholds(nn.Hardtanh(-2.0, 3.0))
        ((0.0,), (-2.0, 3.0))
    """
    if isinstance(module, nn.Hardtanh):  # ReLU6 is one of them
        return (float(module.min_val), float(module.max_val))
    if isinstance(module, nn.ReLU | nn.LeakyReLU | nn.PReLU):
        return (0.0,)
    if isinstance(module, nn.Softshrink):
        return (-float(module.lambd), float(module.lambd))
    return (-3.0, 3.0) if isinstance(module, nn.Hardsigmoid) else None


def function_thresholds(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[float, ...] | None:
    """The same for a function or method by its name and the arguments after the first.

    Example:
        >>> function_thresholds("relu", (), {}), function_thresholds("clamp", (0.0,), {"max": 1.0})
        ((0.0,), (0.0, 1.0))
    """
    if name in ("relu", "relu_", "leaky_relu", "leaky_relu_", "prelu", "abs", "absolute"):
        return (0.0,)
    if name in ("relu6", "hardtanh", "clamp", "clip", "clamp_min", "clamp_max"):
        low, high = {"relu6": (0.0, 6.0), "hardtanh": (-1.0, 1.0)}.get(name, (None, None))
        if name == "clamp_max":
            args = (None, *args)
        low = args[0] if len(args) > 0 else kwargs.get("min", kwargs.get("min_val", low))
        high = args[1] if len(args) > 1 else kwargs.get("max", kwargs.get("max_val", high))
        return tuple(float(k) for k in (low, high) if k is not None)
    return (-3.0, 3.0) if name == "hardsigmoid" else None


def threshold_columns(
    z: Float[Tensor, "n *shape"], thresholds: tuple[float, ...]
) -> Float[Tensor, "n columns"]:
    """One column per unit and threshold; the layer is affine where no column changes sign."""
    flat = z.reshape(len(z), -1)
    return flat if thresholds == (0.0,) else torch.cat([flat - k for k in thresholds], dim=1)


def pool_windows(
    shape: tuple[int, ...], *, kernel: Any, stride: Any, padding: Any, dilation: Any
) -> Int[Tensor, "windows k"]:
    """Flat indices of each window of a maximum pool over ``shape`` (channels first); -1 is padding.

    Example:
        >>> pool_windows((1, 4), kernel=2, stride=2, padding=0, dilation=1).tolist()
        [[0, 1], [2, 3]]
    """
    axes = len(shape) - 1
    sizes, steps, pads, holes = (_tuple(v, axes) for v in (kernel, stride, padding, dilation))
    index = torch.arange(torch.Size(shape).numel()).reshape(shape)
    index = F.pad(index, [p for pad in reversed(pads) for p in (pad, pad)], value=-1)
    for axis in range(axes):
        span = holes[axis] * (sizes[axis] - 1) + 1
        index = index.unfold(1 + axis, span, steps[axis])[..., :: holes[axis]]
    return index.flatten(1 + axes).flatten(0, axes)


def round_columns(
    z: Float[Tensor, "n *shape"], windows: Int[Tensor, "windows k"], j: int
) -> Float[Tensor, "n windows"]:
    """Round j of the tournament: entry j of each window against the largest before it."""
    flat = torch.cat([z.flatten(1), z.new_full((len(z), 1), -torch.inf)], dim=1)  # -1 is padding
    best = flat[:, windows[:, :j]].amax(dim=2)
    played = (windows[:, j] >= 0) & (windows[:, :j] >= 0).any(dim=1)
    return torch.where(played, flat[:, windows[:, j]] - best, -1.0)


def winners(
    z: Float[Tensor, "n *shape"], windows: Int[Tensor, "windows k"]
) -> Int[Tensor, "n windows"]:
    """Which entry of each window is the largest."""
    flat = torch.cat([z.flatten(1), z.new_full((len(z), 1), -torch.inf)], dim=1)
    return flat[:, windows].argmax(dim=2)


def _tuple(value: Any, axes: int) -> tuple[int, ...]:
    return (int(value),) * axes if isinstance(value, int) else tuple(int(v) for v in value)
