"""One sentence that names the argument that made a call fail."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from numbers import Real
from typing import Any

import numpy as np
import torch
from jaxtyping import AbstractArray, jaxtyped
from torch import Tensor, nn

from corollary.arguments.fitting import expected, fits, got
from corollary.errors import CorollaryError, InputError, InputTypeError

Given = tuple[str, Any, Any]  # name, value and annotation of an argument


def blamed(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> CorollaryError | None:
    """The error that names the argument at fault, or None if all arguments look valid.

    An argument that does not fit its annotation is at fault. If all arguments fit, it may be one
    without entries, or with NaN, infinite, complex or negative entries; then the message of torch
    is quoted too.
    """
    try:
        return _blamed(function, args, kwargs, error)
    except Exception:
        # Missing and unknown arguments, of which Python's own sentence is good, and objects that
        # cannot even be looked at: the first error is the one to see.
        return None


def _blamed(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> CorollaryError | None:
    signature = inspect.signature(function, eval_str=True)
    given = list(_each(signature.bind(*args, **kwargs)))
    name = function.__qualname__.removesuffix(".__wrapped__").removesuffix(".__init__")
    if (at := misfit(given)) is not None:
        label, value, wanted = at
        other_shape = isinstance(value, Tensor) and "tensor" in wanted
        kind = InputError if other_shape else InputTypeError
        return kind(f"{name}: expected {label} to be {wanted}, got {got(value)}")
    for label, value, _ in given:
        if (oddity := odd(value)) is not None:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            return InputError(f"{name} failed on {label}, which {oddity} ({reason})")
    return None


def _each(bound: inspect.BoundArguments) -> Iterator[Given]:
    for name, value in bound.arguments.items():
        parameter = bound.signature.parameters[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            yield from ((f"{name}[{i}]", v, parameter.annotation) for i, v in enumerate(value))
        elif parameter.kind is not parameter.VAR_KEYWORD and name != "self":
            yield name, value, parameter.annotation


def misfit(given: Iterable[Given]) -> tuple[str, Any, str] | None:
    """The first argument that does not fit its annotation, and what would fit, in words."""
    sizes: dict[str, str] = {}  # of the axes of earlier arguments
    with jaxtyped("context"):  # where an axis that two arguments share has one size
        for label, value, annotation in given:
            axes = _axes(annotation)
            if not fits(value, annotation):
                known = [sizes[axis] for axis in axes if axis in sizes]
                wanted = expected(annotation) + (f" with {', '.join(known)}" if known else "")
                return label, value, wanted
            shape = value.shape if isinstance(value, Tensor) else ()
            for axis, size in zip(axes, shape, strict=False):
                sizes.setdefault(axis, f"{axis} = {size} as in {label}")
    return None


def _axes(annotation: Any) -> list[str]:
    """The named axes of a shape annotation.

    Empty if an axis stands for several axes or for any size.
    """
    if not (inspect.isclass(annotation) and issubclass(annotation, AbstractArray)):
        return []
    axes: list[str] = annotation.dim_str.split()
    return axes if all(axis.isidentifier() and axis != "_" for axis in axes) else []


def odd(value: Any) -> str | None:
    """What is unusual about a value, or None.

    Example:
        >>> odd(torch.ones(0, 3)), odd([1.0, -2.0]), odd(3)
        ('has no entries: its shape is (0, 3)', 'holds an entry that is -2', None)
    """
    try:
        if isinstance(value, Tensor | np.ndarray):
            return _odd_tensor(torch.as_tensor(value))
        if isinstance(value, nn.Module):
            weights = all(bool(p.isfinite().all()) for p in value.parameters())
            return None if weights else "has weights that are NaN or infinite"
    except (RuntimeError, TypeError, ValueError):
        return None  # no values to look at: inside vmap, on the meta device, not yet drawn
    if isinstance(value, Real):
        return None if 0 <= float(value) < float("inf") else f"is {float(value):g}"
    if isinstance(value, list | tuple) and (oddities := list(filter(None, map(odd, value)))):
        return f"holds an entry that {oddities[0]}"
    return "is empty" if isinstance(value, list | tuple | str | dict) and not value else None


def _odd_tensor(value: Tensor) -> str | None:
    if value.numel() == 0:
        return f"has no entries: its shape is {tuple(value.shape)}"
    if value.is_complex():
        return f"is complex: its dtype is {value.dtype}"
    if not bool(value.isfinite().all()):
        return "has entries that are NaN or infinite"
    if not value.is_floating_point() and bool((value < 0).any()):
        return f"has an entry that is {int(value.min())}"
    return None
