"""Numbers of any origin as plain floats, and floats as strict JSON."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

_NON_FINITE = {"Infinity": math.inf, "-Infinity": -math.inf, "NaN": math.nan}


class Column(Protocol):
    """Numbers along one axis: a list or tuple of floats, an array or a tensor."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[float]: ...

    def __getitem__(self, index: Any, /) -> Any: ...


class Rows(Protocol):
    """Numbers along two axes: rows of numbers, an array or a tensor."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Column]: ...

    def __getitem__(self, index: Any, /) -> Any: ...


WRITTEN = {Column: Sequence[float], Rows: Sequence[Sequence[float]]}  # what a file has for them


def as_floats(values: Any) -> list[float]:
    """The entries of a scalar, sequence, array of one axis or tensor, as Python floats.

    Example:
        >>> as_floats(3), as_floats([1, 2.5])
        ([3.0], [1.0, 2.5])
    """
    if hasattr(values, "detach"):  # a tensor, known without importing torch
        values = values.detach().cpu().flatten()
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, Iterable):
        return [float(v) for v in values]
    return [float(values)]


def as_rows(values: Any) -> list[list[float]]:
    """The entries of a matrix, array or tensor of two axes, row by row."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    if hasattr(values, "tolist"):
        values = values.tolist()
    return [as_floats(row) for row in values]


def to_json_number(value: float) -> float | str:
    """A float for JSON; JSON has no infinities, so these become strings.

    Example:
        >>> to_json_number(math.inf), from_json_number("-Infinity")
        ('Infinity', -inf)
    """
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def from_json_number(value: float | str) -> float:
    """The inverse of :func:`to_json_number`."""
    return _NON_FINITE[value] if isinstance(value, str) else float(value)


def short(value: float) -> str:
    """A number as text, with four digits and no trailing zeros.

    Example:
        >>> short(123456.0), short(0.1), short(1e-9), short(17.0)
        ('1.235e+05', '0.1', '1e-09', '17')
    """
    if value == int(value) if math.isfinite(value) else False:
        return str(int(value)) if abs(value) < 1e5 else f"{value:.4g}"
    return f"{value:.4g}"
