"""The ways to make one argument bad."""

import math
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

Change = Callable[[Any], Any]

# Finite numbers in place of NaN: a result that none of them changes does not depend on them.
FINITE: list[Change] = [
    lambda v: -v,
    lambda v: 2 * v + 1,
    lambda v: v / 2,
    lambda v: 0 * v,
    lambda v: v + 10,
]


def nan(value: Any) -> Any:
    """NaN in place of a number or of all entries; its derivatives are NaN as well."""
    return value * math.nan


def to(value: Any) -> Change:
    """Put this in place of the argument, whatever that was."""
    return lambda _: value


def places(value: Any) -> Iterator[tuple[str, Callable[[Any, Change], Any]]]:
    """Where NaN can stand in a value of this type: how to change the numbers there, by name."""
    match value:
        case bool():
            return
        case int() | float():
            yield "nan", lambda v, change: change(v)
        case Tensor() if value.layout is torch.strided and value.is_floating_point():
            if value.numel():
                yield "all nan", lambda v, change: change(v.detach())
                yield "one nan", in_the_middle
        case np.ndarray() if value.dtype.kind == "f" and value.size:
            yield "all nan", lambda v, change: change(v)
        case list() | tuple() if is_plain(value) and value:
            if all(isinstance(item, int | float) for item in value):
                yield "one nan", lambda v, change: type(v)([change(v[0]), *v[1:]])
        case nn.Module() if any(w.is_floating_point() for w in value.parameters()):
            yield "nan weights", in_weights
        case FunctionType() | BuiltinFunctionType():
            yield "nan function", in_results


def misfits(value: Any) -> Iterator[tuple[str, Change]]:
    """The ways to spoil a value of this type other than by NaN, by name."""
    match value:
        case bool() | None:
            return
        case int() | float():
            yield from [("inf", to(math.inf)), ("negative", lambda v: -abs(v) - 1)]
            yield "wrong type", to("three")
        case str():
            yield from [("no such name", lambda v: v + "?"), ("wrong type", to(3))]
        case Tensor() if value.layout is torch.strided:
            yield from tensor_misfits(value)
        case list() | tuple() if is_plain(value):
            yield from [("empty", lambda v: type(v)(())), ("wrong type", to(3))]
        case np.ndarray():
            yield "empty", lambda v: v[:0]
        case _:
            yield "wrong type", to(3)


def tensor_misfits(value: Tensor) -> Iterator[tuple[str, Change]]:
    """Infinity, another dtype, another shape, no entries."""
    if value.is_floating_point() and value.numel():
        yield "inf", lambda v: in_the_middle(v, to(math.inf))
        yield "wrong dtype", lambda v: v.detach().to(torch.complex128)
    elif value.numel():
        yield "wrong dtype", lambda v: v.to(torch.float64) + 0.5
        if value.dtype is torch.int64:
            yield "negative", lambda v: -v - 1
    yield "axis too many", lambda v: v.detach()[None]
    if value.ndim:
        yield "axis too few", lambda v: v.detach().sum(0)
        yield "empty", lambda v: v.detach()[:0]
        yield "row too many", lambda v: torch.cat([v.detach(), v.detach()[:1]])


def is_plain(value: Any) -> bool:
    """Whether this is a list or a tuple itself, not one with named parts."""
    return type(value) in (list, tuple)


def in_the_middle(value: Tensor, change: Change) -> Tensor:
    """A copy with one entry changed."""
    changed = value.detach().clone(memory_format=torch.contiguous_format)
    flat, middle = changed.view(-1), changed.numel() // 2
    flat[middle] = change(flat[middle].item())
    return changed


def in_weights(module: nn.Module, change: Change) -> nn.Module:
    """The module with all its weights changed in place."""
    for weight in module.parameters():
        if weight.is_floating_point():
            weight.data.copy_(change(weight.data))
    return module


def in_results(function: Callable[..., Any], change: Change) -> Callable[..., Any]:
    """The function with its numbers changed; what is not a number stays."""

    def changed(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        of_floats = isinstance(result, Tensor) and result.is_floating_point()
        return change(result) if of_floats or isinstance(result, float) else result

    return changed
