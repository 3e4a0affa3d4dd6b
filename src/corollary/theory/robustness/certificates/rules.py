"""Which operation is which step; what is not here is refused by name."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from corollary.theory.robustness.certificates import nonlinear_steps as nonlinear
from corollary.theory.robustness.certificates.activations import clipped_lines
from corollary.theory.robustness.certificates.curves import (
    CURVES,
    elu,
    softplus,
    softshrink,
    tanh_gelu,
)
from corollary.theory.robustness.certificates.steps import (
    AVERAGES,
    MOVES,
    Linear,
    Scaled,
    Step,
    Sum,
)
from corollary.theory.robustness.certificates.tape import Call, Ref, Tape
from corollary.theory.robustness.certificates.weighted import (
    Convolution,
    Dense,
    TransposedConvolution,
)

Build = Callable[[Call, list[tuple[int, ...]], Tensor], Step]
PASSES = {"to", "_to_copy", "type_as", "float", "double"}
RISING = set(
    "amax amin max min maximum minimum adaptive_max_pool1d adaptive_max_pool2d max_pool3d "
    "sqrt log log1p atan sign floor ceil round".split()
)


def steps(tape: Tape, like: Tensor) -> tuple[Step, ...]:
    """A step for each call of a tape, or an error that names the first that has none."""
    return tuple(
        _step(call, [tape.value_shape(i) for i in call.inputs], like) for call in tape.calls
    )


def bare_steps(tape: Tape, like: Tensor) -> tuple[Step, ...]:
    """The same for a tape that passed before, with other weights: rounding is not paid for."""
    made = tuple(
        _made(call, [tape.value_shape(i) for i in call.inputs], like) for call in tape.calls
    )
    for step in made:
        step.rounded = False
    return made


def _step(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    linear = call.op in MOVES or call.op in AVERAGES or call.op in PASSES
    rising = call.op in RISING and call.picked in (None, 0)
    if not (linear or rising or call.op in BUILD):
        raise call.refusal()
    if call.op in PASSES and not call(like.new_zeros(1, *shapes[0])).is_floating_point():
        raise call.refusal("rounds to whole numbers")
    if call.op.endswith("dropout") and call.option(2, "train", False):
        raise call.refusal("is random")
    call.check_samples(shapes, like)
    return _made(call, shapes, like)


def _made(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    if call.op in MOVES or call.op in AVERAGES or call.op in PASSES:
        return Linear(call, shapes)
    if call.op in RISING and call.picked in (None, 0):
        return nonlinear.Rising(call)
    return BUILD[call.op](call, shapes, like)


def _constant(call: Call, place: int, like: Tensor) -> Tensor:
    """An argument that is a number or a tensor without input."""
    return torch.as_tensor(call.args[place], dtype=like.dtype, device=like.device)


def _added(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    sign = -1.0 if call.op == "sub" else 1.0
    alpha = sign * float(call.kwargs.get("alpha", 1))
    first, second = (isinstance(a, Ref) for a in call.args[:2])
    if first and second:
        return Sum(call, (1.0, alpha), shapes)
    if first:
        return _scaled(call, like.new_ones(()), alpha * _constant(call, 1, like), shapes)
    return _scaled(call, like.new_tensor(alpha), _constant(call, 0, like), shapes)


def _reversed(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    factor = like.new_tensor(-float(call.kwargs.get("alpha", 1)))
    return _scaled(call, factor, _constant(call, 1, like), shapes)


def _times(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    first, second = (isinstance(a, Ref) for a in call.args[:2])
    if first and second:
        return nonlinear.Product(call)
    return _scaled(call, _constant(call, 1 if first else 0, like), like.new_zeros(()), shapes)


def _divided(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    if isinstance(call.args[1], Ref) or call.kwargs.get("rounding_mode") is not None:
        raise call.refusal("divides by a value that depends on the input, or rounds")
    return _scaled(call, 1 / _constant(call, 1, like), like.new_zeros(()), shapes)


def _scaled(call: Call, scale: Tensor, shift: Tensor, shapes: list[tuple[int, ...]]) -> Step:
    if max(scale.dim(), shift.dim()) > len(call.shape) + 1:
        raise call.refusal("adds an axis before the sample axis")
    return Scaled(call, scale, shift, shapes[0])


def _negative(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    return Scaled(call, -like.new_ones(()), like.new_zeros(()), shapes[0])


def _normalised(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    """Batch normalisation with running statistics."""
    weight, bias, mean, variance = call.args[1:5]
    eps = call.args[-1] if call.op.endswith("no_training") else call.args[7]
    if (call.op == "batch_norm" or call.op == "native_batch_norm") and call.args[5]:
        raise call.refusal("normalises over the samples of a batch")
    scale = (variance + eps).rsqrt()
    scale = scale if weight is None else scale * weight
    centre = mean * scale
    shift = -centre if bias is None else bias - centre
    size = centre.abs() if bias is None else bias.abs() + centre.abs()
    scale, shift, size = (
        t.view(-1, *(1,) * (len(call.shape) - 1)).to(like) for t in (scale, shift, size)
    )
    return Scaled(call, scale, shift, shapes[0], size)


def _dense(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    if call.op == "linear":
        weight, bias = call.args[1], call.option(2, "bias")
    elif call.op == "addmm":
        bias, _, transposed = call.args[:3]
        weight = None if isinstance(transposed, Ref) or call.kwargs else transposed.T
    else:
        weight = (
            call.args[1].T if isinstance(call.args[1], Tensor) and call.args[1].dim() == 2 else None
        )
        bias = None
    if not isinstance(weight, Tensor) or isinstance(bias, Ref):
        raise call.refusal("multiplies two values that depend on the input")
    return Dense(call, weight, bias)


def _convolution(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    axes = len(call.shape) - 1
    weight, bias = call.args[1], call.option(2, "bias")
    if isinstance(weight, Ref) or isinstance(bias, Ref):
        raise call.refusal("has a kernel that depends on the input")
    options = {
        "stride": _sizes(call.option(3, "stride", 1), axes),
        "padding": _padding(call, call.option(4, "padding", 0), weight, axes),
        "dilation": _sizes(call.option(5, "dilation", 1), axes),
        "groups": int(call.option(6, "groups", 1)),
    }
    return Convolution(call, weight, bias, shapes[0], options)


def _padding(call: Call, padding: Any, weight: Tensor, axes: int) -> tuple[int, ...]:
    if padding == "valid":
        return (0,) * axes
    if padding == "same":
        dilation = _sizes(call.option(5, "dilation", 1), axes)
        total = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:], strict=True)]
        if any(t % 2 for t in total):
            raise call.refusal("pads unevenly; use an odd kernel")
        return tuple(t // 2 for t in total)
    return _sizes(padding, axes)


def _transposed(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    axes = len(call.shape) - 1
    options = {
        "stride": _sizes(call.option(3, "stride", 1), axes),
        "padding": _sizes(call.option(4, "padding", 0), axes),
        "output_padding": _sizes(call.option(5, "output_padding", 0), axes),
        "groups": int(call.option(6, "groups", 1)),
        "dilation": _sizes(call.option(7, "dilation", 1), axes),
    }
    return TransposedConvolution(call, call.args[1], call.option(2, "bias"), options)


def _sizes(value: Any, axes: int) -> tuple[int, ...]:
    entries = (value,) if isinstance(value, int) else tuple(value)
    return entries * axes if len(entries) == 1 else entries


def _kinked(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    if call.op in ("prelu", "_prelu_kernel"):
        weight: Tensor = call.args[1].to(like)
        wide = weight.view(-1, *(1,) * (len(call.shape) - 1))
        return nonlinear.Kinked(call, wide if weight.numel() > 1 else weight)
    if call.op == "leaky_relu":
        return nonlinear.Kinked(call, float(call.option(1, "negative_slope", 0.01)))
    return nonlinear.Kinked(call, {"relu": 0.0, "abs": -1.0}[call.op])


def _clipped(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    least, most = {"relu6": (0.0, 6.0), "hardtanh": (-1.0, 1.0)}.get(
        call.op, (-torch.inf, torch.inf)
    )
    if call.op != "relu6":
        names = ("min_val", "max_val") if call.op == "hardtanh" else ("min", "max")
        least, most = (call.option(i + 1, names[i], (least, most)[i]) for i in (0, 1))
    least = -1e30 if least is None or least == -torch.inf else float(least)
    most = 1e30 if most is None or most == torch.inf else float(most)
    return nonlinear.Clipped(call, partial(clipped_lines, least=least, most=most))


def _curved(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    if call.op == "gelu" and call.kwargs.get("approximate", "none") == "tanh":
        return nonlinear.Curved(call, tanh_gelu)
    return nonlinear.Curved(call, CURVES[call.op])


def _softplus(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    beta, threshold = float(call.option(1, "beta", 1)), float(call.option(2, "threshold", 20))
    return nonlinear.Curved(call, softplus(beta, threshold))


def _elu(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    alpha = float(call.option(1, "alpha", 1))
    if not alpha > 0:
        raise call.refusal(f"has alpha = {alpha:g}, which is not positive")
    if call.op == "celu":
        return nonlinear.Curved(call, elu(alpha, 1.0, 1 / alpha))
    scales = (float(call.option(i, name, 1)) for i, name in ((2, "scale"), (3, "input_scale")))
    return nonlinear.Curved(call, elu(alpha, *scales))


def _softshrink(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    return nonlinear.Curved(call, softshrink(float(call.option(1, "lambd", 0.5))))


def _max_pool(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    if call.picked not in (None, 0):
        raise call.refusal("returns indices, not values")
    axes = len(call.shape) - 1
    kernel = _sizes(call.args[1], axes)
    options = {
        "kernel_size": kernel,
        "stride": _sizes(call.option(2, "stride") or kernel, axes),
        "padding": _sizes(call.option(3, "padding", 0), axes),
        "dilation": _sizes(call.option(4, "dilation", 1), axes),
        "ceil_mode": bool(call.option(5, "ceil_mode", False)),
    }
    return nonlinear.MaxPool(call, options)


def _layer_norm(call: Call, shapes: list[tuple[int, ...]], like: Tensor) -> Step:
    if call.picked not in (None, 0):
        raise call.refusal("returns statistics")
    weight, bias = call.option(2, "weight"), call.option(3, "bias")
    return nonlinear.LayerNorm(
        call, len(call.args[1]), weight, bias, float(call.option(4, "eps", 1e-5))
    )


def _of(kind: type[Step]) -> Build:
    return lambda call, shapes, like: kind(call)


_RULES: tuple[tuple[str, Build], ...] = (
    ("add sub", _added),
    ("rsub", _reversed),
    ("mul", _times),
    ("div", _divided),
    ("neg", _negative),
    ("square", _of(nonlinear.Product)),
    ("batch_norm native_batch_norm _native_batch_norm_legit_no_training", _normalised),
    ("linear addmm mm matmul", _dense),
    ("conv1d conv2d conv3d", _convolution),
    ("conv_transpose1d conv_transpose2d", _transposed),
    ("relu leaky_relu prelu _prelu_kernel abs", _kinked),
    ("relu6 hardtanh clamp clip", _clipped),
    ("max_pool1d max_pool2d max_pool2d_with_indices", _max_pool),
    ("layer_norm native_layer_norm", _layer_norm),
    ("softmax _softmax", _of(nonlinear.Softmax)),
    ("log_softmax _log_softmax", _of(nonlinear.LogSoftmax)),
    ("softplus", _softplus),
    ("elu celu", _elu),
    ("softshrink", _softshrink),
    (" ".join(CURVES), _curved),
)
BUILD = {name: build for names, build in _RULES for name in names.split()}
