"""Whether a value fits an annotation, and how both read in a sentence.

Asked after a call has failed, never on the way in, so a good call pays nothing for it.
"""

import types
import typing
from collections.abc import Callable, Collection, Mapping
from inspect import isclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from jaxtyping import AbstractArray
from torch import Tensor
from torch.fx import Proxy


def fits(value: Any, annotation: Any) -> bool:
    """Whether the annotation allows the value; True if this cannot be decided.

    Inside ``with jaxtyped("context")`` the named axes of one call bind those of the next.

    Example:
        >>> [fits(value, float | None) for value in (1, None, "one")]
        [True, True, False]
        >>> fits((1, "two"), tuple[int, ...]), fits({1: 2}, Mapping[str, int])
        (False, True)
    """
    if isinstance(value, Proxy):
        return True  # stands for a value while a module is traced
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if origin is typing.Literal:
        return value in parts
    if annotation is None or annotation is type(None):
        return value is None
    if Callable in (annotation, origin):
        return callable(value)
    if not isclass(origin or annotation):
        return True  # Any, a type variable, a name that is not resolved
    if isclass(origin) and issubclass(origin, Collection) and not issubclass(origin, Mapping):
        items = value if isinstance(value, list | tuple) and len(set(parts) - {...}) == 1 else ()
        return isinstance(value, origin) and all(fits(item, parts[0]) for item in items)
    return _is_of(value, origin or annotation)


def _is_of(value: Any, kind: type) -> bool:
    """``isinstance``, where an int is a float and a protocol that cannot be asked says yes."""
    kind = {int: Integral, float: Real}.get(kind, kind)
    try:
        return isinstance(value, kind)
    except TypeError:
        return True


def expected(annotation: Any) -> str:
    """The annotation in words.

    Example:
        >>> from jaxtyping import Float
        >>> expected(Float[Tensor, "n 2"]), expected(int | None)
        ('a float tensor of shape (n, 2)', 'int or None')
    """
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(expected(part) for part in parts))
    if origin is typing.Literal:
        return "one of " + ", ".join(map(repr, parts))
    if annotation is None or annotation is type(None):
        return "None"
    if Callable in (annotation, origin):
        return "a function"
    if isclass(annotation) and issubclass(annotation, AbstractArray):
        kind, axes = annotation.dtype.__name__.lower(), annotation.dim_str
        noun = f"{'' if kind == 'shaped' else kind + ' '}{annotation.array_type.__name__.lower()}"
        article = "an" if noun[0] in "aeiou" else "a"
        return f"{article} {noun}" + ("" if axes == "..." else f" of shape {_shape(axes.split())}")
    if origin is not None:
        inner = ", ".join("..." if part is ... else expected(part) for part in parts)
        return f"{origin.__name__}[{inner}]"
    return getattr(annotation, "__name__", str(annotation))


def got(value: Any) -> str:
    """The value in words, short.

    Example:
        >>> import torch
        >>> got(torch.ones(3)), got("three"), got(None)
        ('a float32 tensor of shape (3,)', "'three' (str)", 'None')
    """
    if isinstance(value, Tensor | np.ndarray):
        noun = type(value).__name__.lower() if isinstance(value, Tensor) else "array"
        return f"a {str(value.dtype).removeprefix('torch.')} {noun} of shape {_shape(value.shape)}"
    if value is None:
        return "None"
    text = repr(value)
    if len(text) > 60:
        return f"an object of type {type(value).__name__}"
    return f"{text} ({type(value).__name__})"


def _shape(axes: Collection[object]) -> str:
    return f"({', '.join(map(str, axes))}{',' if len(axes) == 1 else ''})"
