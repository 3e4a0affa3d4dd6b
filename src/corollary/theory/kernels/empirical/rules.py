"""Which functions of torch have gradients in factors, and how these are found.

Rules belong to functions and not to modules. So a layer written by hand (``x @ w + b``), and the
projections inside ``nn.MultiheadAttention``, are treated like ``nn.Linear``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from corollary.theory.kernels.empirical.layers import Explicit, Outer, Spread, Tokens
from corollary.theory.kernels.empirical.patches import patches

Settings = Mapping[str, Any]  # the arguments of one call, by name
FromOutput = Callable[[Tensor], Spread]  # from an output's gradient to factors
Gradient = Callable[[Settings, Tensor], FromOutput]


def _always(settings: Settings) -> bool:
    return True


@dataclass(frozen=True)
class Rule:
    """How the gradients of a function's parameters come from its input and its output's gradient.

    A gradient takes the arguments of the call and its input with samples along the first axis, and
    gives a function of the output's gradient, with outputs first and samples second: what is made
    of the input is made once, for all outputs.
    """

    arguments: tuple[str, ...]  # in their order; the first is the input
    gradients: Mapping[str, Gradient]  # by the argument that may be a parameter
    fits: Callable[[Settings], bool] = _always  # whether the rule holds for a call
    fused: bool = False  # the bias may ride on the weight's factors
    samples_first: bool = False  # whether the first axis of the input must count the samples


def rule_of(function: Any, args: tuple[Any, ...], named: Settings) -> tuple[Rule, Settings] | None:
    """The rule for a call and the call's arguments by name; None where there is none.

    Example:
        >>> x, w = torch.ones(2, 3), torch.ones(4, 3)
        >>> rule, settings = rule_of(functional.linear, (x, w), {})
        >>> list(rule.gradients), list(settings)
        (['weight', 'bias'], ['input', 'weight'])
        >>> rule_of(torch.relu, (x,), {}) is None
        True
    """
    for rule in RULES.get(function, ()):
        settings = dict(zip(rule.arguments, args, strict=False)) | dict(named)
        if set(settings) <= set(rule.arguments) and rule.fits(settings):
            return rule, settings
    return None


def _linear(settings: Settings, a: Tensor) -> FromOutput:
    n, transposed = len(a), not settings["weight"].is_contiguous()
    seen = a.reshape(n, -1, a.shape[-1])
    return lambda g: Outer(seen, g.reshape(len(g), n, -1, g.shape[-1]), transposed=transposed)


def _product(settings: Settings, a: Tensor) -> FromOutput:
    linear = _linear(settings, a)
    return lambda g: replace(linear(g), transposed=settings["weight"].is_contiguous())


def _last_axis(settings: Settings, a: Tensor) -> FromOutput:
    return lambda g: Explicit(g.reshape(*g.shape[:2], -1, g.shape[-1]).sum(2))


def _convolution(settings: Settings, a: Tensor) -> FromOutput:
    how = {k: settings[k] for k in ("stride", "padding", "dilation", "groups") if k in settings}
    seen = patches(a, settings["weight"].shape[2:], **how)  # (n, groups, a, t)
    groups = seen.shape[1]

    def factors(g: Tensor) -> Outer | Explicit:
        if groups == 1:
            return Outer(seen[:, 0].mT, g.flatten(3).mT)
        by_group = g.flatten(3).unflatten(2, (groups, -1))
        return Explicit((by_group @ seen.mT).flatten(2))

    return factors


def _channels(settings: Settings, a: Tensor) -> FromOutput:
    return lambda g: Explicit(g.flatten(3).sum(3) if g.dim() > 3 else g)


def _embedding(settings: Settings, a: Tensor) -> FromOutput:
    ids, rows = a.reshape(len(a), -1), len(settings["weight"])
    padding = settings.get("padding_idx")
    counts = None if padding is None else (ids != padding % rows)[None, :, :, None]

    def factors(g: Tensor) -> Tokens:
        g = g.reshape(len(g), len(ids), -1, g.shape[-1])
        return Tokens(ids, g if counts is None else g * counts, rows)

    return factors


def _scaled(gradient: Gradient, norm: Callable[..., Tensor], *kept: str) -> Gradient:
    """The gradient of a scale: that of a shift, times what the layer gives without both."""

    def scaled(settings: Settings, a: Tensor) -> FromOutput:
        plain = norm(a, **{k: settings[k] for k in kept if k in settings})
        shifted = gradient(settings, a)
        return lambda g: shifted(g * plain)

    return scaled


def _shifted_last(settings: Settings, a: Tensor) -> FromOutput:
    size = torch.Size(settings["normalized_shape"]).numel()
    return lambda g: Explicit(g.reshape(*g.shape[:2], -1, size).sum(2))


def _shifted_table(settings: Settings, a: Tensor) -> FromOutput:
    """A table that is added to every sample, broadcast along axes where it has length one."""
    shape = settings["weight"].shape[-(a.dim() - 1) :]
    shape = (1,) * (a.dim() - 1 - len(shape)) + tuple(shape)
    axes = [2 + k for k, size in enumerate(shape) if size == 1]

    def factors(g: Tensor) -> Explicit:
        g = g * settings.get("alpha", 1)
        return Explicit((g.sum(axes, keepdim=True) if axes else g).flatten(2))

    return factors


def _scaled_table(settings: Settings, a: Tensor) -> FromOutput:
    shifted = _shifted_table(settings, a)
    return lambda g: shifted(g * a)


def _shifted_row(settings: Settings, a: Tensor) -> FromOutput:
    last = _last_axis(settings, a)
    return lambda g: last(g * settings.get("alpha", 1))


def _scaled_row(settings: Settings, a: Tensor) -> FromOutput:
    last = _last_axis(settings, a)
    return lambda g: last(g * a)


def _matrix(settings: Settings) -> bool:
    x, w = settings["input"], settings["weight"]
    return isinstance(w, Tensor) and w.dim() == 2 and x.dim() >= 2


def _broadcast(settings: Settings) -> bool:
    """Whether the second operand is stretched to the shape of the first."""
    x, w = settings["input"], settings["weight"]
    if not (isinstance(x, Tensor) and isinstance(w, Tensor)) or not 0 < w.dim() <= x.dim():
        return False
    return bool(torch.broadcast_shapes(x.shape, w.shape) == x.shape)


def _row(settings: Settings) -> bool:
    return _broadcast(settings) and settings["weight"].shape == settings["input"].shape[-1:]


def _table(settings: Settings) -> bool:
    """One that does not tell samples apart."""
    x, w = settings["input"], settings["weight"]
    return _broadcast(settings) and x.dim() > 1 and (w.dim() < x.dim() or len(w) == 1)


_MATMUL = Rule(("input", "weight"), {"weight": _product}, _matrix)
_ADD = (
    Rule(("input", "weight", "alpha"), {"weight": _shifted_row}, _row),
    Rule(("input", "weight", "alpha"), {"weight": _shifted_table}, _table, samples_first=True),
)
_MUL = (
    Rule(("input", "weight"), {"weight": _scaled_row}, _row),
    Rule(("input", "weight"), {"weight": _scaled_table}, _table, samples_first=True),
)
_CONV = Rule(
    ("input", "weight", "bias", "stride", "padding", "dilation", "groups"),
    {"weight": _convolution, "bias": _channels},
    fused=True,
    samples_first=True,
)
RULES: dict[Any, tuple[Rule, ...]] = {
    functional.linear: (
        Rule(("input", "weight", "bias"), {"weight": _linear, "bias": _last_axis}, fused=True),
    ),
    **dict.fromkeys((torch.conv1d, torch.conv2d, torch.conv3d), (_CONV,)),
    **dict.fromkeys((torch.matmul, torch.mm, Tensor.matmul, Tensor.mm), (_MATMUL,)),
    **dict.fromkeys((torch.add, Tensor.add), _ADD),
    **dict.fromkeys((torch.mul, Tensor.mul), _MUL),
    functional.embedding: (
        Rule(
            tuple("input weight padding_idx max_norm norm_type scale_grad_by_freq sparse".split()),
            {"weight": _embedding},
            lambda s: s.get("max_norm") is None and not s.get("scale_grad_by_freq"),
        ),
    ),
    functional.layer_norm: (
        Rule(
            ("input", "normalized_shape", "weight", "bias", "eps"),
            {
                "weight": _scaled(_shifted_last, functional.layer_norm, "normalized_shape", "eps"),
                "bias": _shifted_last,
            },
        ),
    ),
    functional.rms_norm: (
        Rule(
            ("input", "normalized_shape", "weight", "eps"),
            {"weight": _scaled(_shifted_last, functional.rms_norm, "normalized_shape", "eps")},
        ),
    ),
    functional.group_norm: (
        Rule(
            ("input", "num_groups", "weight", "bias", "eps"),
            {
                "weight": _scaled(_channels, functional.group_norm, "num_groups", "eps"),
                "bias": _channels,
            },
            samples_first=True,
        ),
    ),
    functional.batch_norm: (
        Rule(
            tuple("input running_mean running_var weight bias training momentum eps".split()),
            {
                "weight": _scaled(
                    _channels, functional.batch_norm, "running_mean", "running_var", "eps"
                ),
                "bias": _channels,
            },
            lambda s: not s.get("training"),
            samples_first=True,
        ),
    ),
}
