"""Single modules of PyTorch as layers at infinite width."""

from typing import Any, Literal

import torch
from torch import fx, nn

from corollary.errors import InputError
from corollary.theory.kernels.infinite import activations as act
from corollary.theory.kernels.infinite import padding
from corollary.theory.kernels.infinite.convolution import Conv
from corollary.theory.kernels.infinite.layers import (
    AvgPool,
    Dense,
    Flatten,
    GlobalAvgPool,
    Layer,
    LayerNorm,
    Number,
    Parametrization,
)
from corollary.theory.kernels.infinite.resize import Mode, Resize
from corollary.theory.kernels.infinite.series import Series
from corollary.theory.kernels.infinite.transposed_and_local import ConvTranspose
from corollary.theory.kernels.infinite.windows import Amounts

RESIZED: dict[str, Mode] = {
    "nearest": "nearest",
    "nearest-exact": "nearest-exact",
    "linear": "linear",
    "bilinear": "linear",
    "bicubic": "cubic",
}
NOTHING = (nn.Identity, nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.AlphaDropout)
# Functions of one number without a closed form: their Hermite series is taken.
POINTWISE = (
    *(nn.Tanh, nn.Sigmoid, nn.SiLU, nn.GELU, nn.Mish, nn.ELU, nn.SELU, nn.CELU),
    *(nn.Softplus, nn.Softsign, nn.LogSigmoid, nn.Tanhshrink, nn.Softshrink),
    *(nn.Hardtanh, nn.ReLU6, nn.Hardsigmoid, nn.Hardswish),
)


def spread(
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    sigma_w: Number | None,
    sigma_b: Number | None,
) -> tuple[Number, Number]:
    """What is given, else the spread of the weights and biases at hand."""
    fan_in = weight[0].numel()
    if sigma_w is None:
        sigma_w = float((fan_in * weight.detach().cpu().double().pow(2).mean()).sqrt())
    if bias is None:
        return sigma_w, 0.0
    if sigma_b is None:
        sigma_b = float(bias.detach().cpu().double().pow(2).mean().sqrt())
    return sigma_w, sigma_b


def read_dense(
    module: nn.Linear,
    sigma_w: Number | None,
    sigma_b: Number | None,
    parametrization: Parametrization,
) -> Dense:
    """A linear layer."""
    sigmas = spread(module.weight, module.bias, sigma_w, sigma_b)
    return Dense(*sigmas, parametrization, module.in_features, module.bias is not None)


def read_conv(
    module: nn.Conv1d | nn.Conv2d,
    sigma_w: Number | None,
    sigma_b: Number | None,
    parametrization: Parametrization,
) -> Conv:
    """A convolution without groups."""
    sigmas = spread(module.weight, module.bias, sigma_w, sigma_b)
    return Conv(
        *sigmas,
        parametrization,
        module.weight[0].numel(),
        module.bias is not None,
        kernel=tuple(module.kernel_size),
        stride=tuple(module.stride),
        padding=_amounts(module.padding),
        dilation=tuple(module.dilation),
        mode=module.padding_mode,
    )


def read_transpose(
    module: nn.ConvTranspose1d | nn.ConvTranspose2d,
    sigma_w: Number | None,
    sigma_b: Number | None,
    parametrization: Parametrization,
) -> ConvTranspose | None:
    """A transposed convolution; None if it has groups or dilation."""
    weight = module.weight.transpose(0, 1)  # PyTorch stores these with the inputs first
    plain = module.groups == 1 and set(module.dilation) == {1}
    border = _numbers(module.padding)
    fits = all(p < k for p, k in zip(border, module.kernel_size, strict=True))
    if not (plain and fits):
        return None
    sigmas = spread(weight, module.bias, sigma_w, sigma_b)
    return ConvTranspose(
        *sigmas,
        parametrization,
        weight[0].numel(),
        module.bias is not None,
        kernel=tuple(module.kernel_size),
        stride=tuple(module.stride),
        padding=border,
        output_padding=tuple(module.output_padding),
    )


def read_module(module: nn.Module, dropout: bool = False) -> Layer | None | Literal["unknown"]:
    """Any other module: a layer, None for nothing to do, or ``unknown``."""
    if isinstance(module, NOTHING):
        return "unknown" if dropout and not isinstance(module, nn.Identity) else None
    if isinstance(module, nn.ReLU):
        return act.Relu()
    if isinstance(module, nn.LeakyReLU):
        return act.LeakyRelu(module.negative_slope)
    if isinstance(module, nn.GELU) and module.approximate == "none":
        return act.Gelu()
    if isinstance(module, POINTWISE):
        return Series(module)
    if isinstance(module, nn.Flatten) and module.start_dim == 1:
        return Flatten()
    if isinstance(module, padding.MODULES):
        return padding.read_padding(module)
    return _pool_or_norm(module)


def _pool_or_norm(module: nn.Module) -> Layer | Literal["unknown"]:
    if isinstance(module, nn.LayerNorm) and len(module.normalized_shape) == 1:
        return LayerNorm(module.eps)
    if isinstance(module, nn.AdaptiveAvgPool1d | nn.AdaptiveAvgPool2d):
        return GlobalAvgPool() if _tuple(module.output_size, 2) in ((1, 1),) else "unknown"
    if isinstance(module, nn.AvgPool1d | nn.AvgPool2d):
        axes = 1 if isinstance(module, nn.AvgPool1d) else 2
        if module.ceil_mode:
            raise InputError("average pooling with ceil_mode=True has no rule; use ceil_mode=False")
        how = module.kernel_size, module.stride, module.padding
        kernel, stride, border = (_tuple(v, axes) for v in how)
        return AvgPool(kernel, stride, border, module.count_include_pad)
    if isinstance(module, nn.Upsample):
        return read_resize(
            module.size, module.scale_factor, module.mode, bool(module.align_corners)
        )
    return "unknown"


def read_resize(
    size: int | tuple[int, ...] | None,
    factor: float | tuple[float, ...] | None,
    mode: str,
    align_corners: bool = False,
    antialias: bool = False,
) -> Layer | Literal["unknown"]:
    """Interpolation of images, as ``nn.Upsample`` and ``F.interpolate`` have it."""
    axes = 1 if mode == "linear" else 2
    if mode not in RESIZED:
        return "unknown"
    sizes = None if size is None else _tuple(size, axes)
    factors = None if factor is None else _tuple(factor, axes)
    return Resize(sizes, factors, RESIZED[mode], align_corners, antialias)


def read_interpolation(node: fx.Node) -> Layer | str:
    """A call of ``F.interpolate`` whose arguments are plain, or its name in messages."""
    names = ("size", "scale_factor", "mode", "align_corners", "recompute_scale_factor", "antialias")
    given: dict[str, Any] = dict(zip(names, node.args[1:], strict=False)) | dict(node.kwargs)
    layer: Layer | str = "unknown"
    if len(node.all_input_nodes) == 1 and not given.get("recompute_scale_factor"):
        layer = read_resize(
            given.get("size"),
            given.get("scale_factor"),
            given.get("mode", "nearest"),
            bool(given.get("align_corners")),
            bool(given.get("antialias")),
        )
    return f"'{node.name}' (function interpolate of this kind)" if layer == "unknown" else layer


def _amounts(padding: str | tuple[int, ...]) -> Amounts | Literal["same", "valid"]:
    """The padding of a torch layer, which knows two words for it."""
    if isinstance(padding, str):
        return "same" if padding == "same" else "valid"
    return tuple(padding)


def _numbers(padding: str | tuple[int, ...]) -> tuple[int, ...]:
    assert not isinstance(padding, str)  # transposed convolutions have numbers only
    return tuple(padding)


def _tuple(value: Any, axes: int) -> tuple[Any, ...]:
    return (value,) * axes if isinstance(value, int | float) else tuple(value)
