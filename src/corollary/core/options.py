"""The quantified variables of a claim as options: range, check, and reading from text.

A claim's fields are its options. A plain default is enough (``n: int = 200``: integers are then at
least 1, floats finite); :func:`option` adds a range, which the command line enforces and the lab
turns into a slider.
"""

import dataclasses
import math
from typing import Any, Literal, get_args, get_origin, get_type_hints

from corollary.errors import OptionError


def option(default: Any, *, low: float | None = None, high: float | None = None) -> Any:
    """A field with a closed range.

    Example:
        >>> @dataclasses.dataclass(frozen=True)
        ... class Cloud:
        ...     gamma: float = option(0.1, low=1e-6, high=1.0)  # margin
        >>> Cloud().gamma
        0.1
    """
    return dataclasses.field(default=default, metadata={"low": low, "high": high})


def bounds(field: dataclasses.Field[Any], kind: Any) -> tuple[float, float]:
    """The closed range of a field: what it declares, else >= 1 for integers."""
    low, high = field.metadata.get("low"), field.metadata.get("high")
    if low is None:
        low = 1 if kind is int and "low" not in field.metadata else -math.inf
    return low, math.inf if high is None else high


def check_options(claim: Any) -> None:
    """Raise :class:`OptionError` for the first field of the wrong type or out of range."""
    kinds = get_type_hints(type(claim))
    for field in dataclasses.fields(claim):
        value, kind = getattr(claim, field.name), kinds[field.name]
        _check_type(field.name, value, kind)
        numbers = value if isinstance(value, tuple) else (value,)
        low, high = bounds(field, get_args(kind)[0] if get_origin(kind) is tuple else kind)
        for number in numbers:
            if isinstance(number, int | float) and not isinstance(number, bool):
                _check_range(field.name, number, low, high)


def parse(name: str, text: str, kind: Any) -> Any:
    """The value of option ``name`` written as ``text``, for a field of type ``kind``.

    Example:
        >>> parse("n", "20", int), parse("sizes", "8,16", tuple[int, ...])
        (20, (8, 16))
    """
    if get_origin(kind) is tuple:
        return tuple(parse(name, part, get_args(kind)[0]) for part in text.split(",") if part)
    if get_origin(kind) is Literal:
        return next((choice for choice in get_args(kind) if str(choice) == text), text)
    if kind is bool:
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.lower() in words:
            return words[text.lower()]
    elif kind in (int, float, str):
        try:
            return kind(text)
        except ValueError:
            pass
    raise OptionError(f"--{name} needs {describe(kind)}, got '{text}'")


def describe(kind: Any) -> str:
    """A type in words, for error messages and help."""
    if get_origin(kind) is tuple:
        return f"{describe(get_args(kind)[0])}s separated by commas".replace("a ", "", 1)
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(str(choice) for choice in get_args(kind))
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    return words.get(kind, str(kind))


def _check_type(name: str, value: Any, kind: Any) -> None:
    if get_origin(kind) is tuple:
        fits = isinstance(value, tuple) and len(value) > 0
        inner = get_args(kind)[0]
        for part in value if fits else ():
            _check_type(name, part, inner)
    elif get_origin(kind) is Literal:
        fits = value in get_args(kind)
    elif kind is float:
        fits = isinstance(value, int | float) and not isinstance(value, bool)
    elif kind is int:
        fits = isinstance(value, int) and not isinstance(value, bool)
    else:
        fits = isinstance(value, kind)
    if not fits:
        raise OptionError(f"{name} needs {describe(kind)}, got {value!r}")


def _check_range(name: str, number: float, low: float, high: float) -> None:
    if not low <= number <= high or not math.isfinite(number):
        if math.isinf(low) and math.isinf(high):
            allowed = "be finite"
        elif math.isinf(high):
            allowed = f"be at least {low:g}"
        elif math.isinf(low):
            allowed = f"be at most {high:g}"
        else:
            allowed = f"lie between {low:g} and {high:g}"
        raise OptionError(f"{name} must {allowed}, got {number:g}")
