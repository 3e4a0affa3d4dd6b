"""A figure as plain data: axes and marks, nothing drawn.

A claim describes the figure; ``report`` draws it as SVG, the lab sends it to the page as JSON, and
:meth:`Figure.show` passes it to matplotlib. The ``role`` of a mark determines its colour
everywhere: ``predicted``, ``measured`` or ``other``.
"""

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from corollary.core.numbers import (
    Column,
    Rows,
    as_floats,
    as_rows,
    from_json_number,
    to_json_number,
)
from corollary.core.thinning import thinned
from corollary.errors import InputError

Role = Literal["predicted", "measured", "other"]
_WORDS = {"label", "role", "axis", "names"}  # fields that hold text, not numbers


class Mark:
    """Anything that can be drawn on a figure's axes. Final marks are frozen dataclasses."""

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def to_json(self) -> dict[str, Any]:
        """Plain data with a ``kind``, ready for ``json.dumps``."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]
        return {"kind": type(self).__name__} | {k: _encode(v) for k, v in fields.items()}


@dataclass(frozen=True)
class Curve(Mark):
    """A line through ``(x, y)``; without ``x`` the points are numbered from 0."""

    y: Column
    x: Column | None = None
    label: str = ""
    role: Role = "measured"
    dashed: bool = False

    def __post_init__(self) -> None:
        y = as_floats(self.y)
        x = [float(i) for i in range(len(y))] if self.x is None else as_floats(self.x)
        _same_length("Curve", self.label, x=x, y=y)
        x, y = thinned(x, y)
        self._set(x=x, y=y)


@dataclass(frozen=True)
class Points(Mark):
    """Dots at ``(x, y)``, with bars from ``low`` to ``high`` if these are given."""

    x: Column
    y: Column
    label: str = ""
    role: Role = "measured"
    low: Column | None = None
    high: Column | None = None

    def __post_init__(self) -> None:
        self._set(x=as_floats(self.x), y=as_floats(self.y))
        for name in ("low", "high"):
            if getattr(self, name) is not None:
                self._set(**{name: as_floats(getattr(self, name))})
        bars = {k: v for k, v in (("low", self.low), ("high", self.high)) if v is not None}
        _same_length("Points", self.label, x=self.x, y=self.y, **bars)


@dataclass(frozen=True)
class Band(Mark):
    """The area between ``low`` and ``high`` over ``x``: a spread or an interval."""

    x: Column
    low: Column
    high: Column
    label: str = ""
    role: Role = "measured"

    def __post_init__(self) -> None:
        self._set(x=as_floats(self.x), low=as_floats(self.low), high=as_floats(self.high))
        _same_length("Band", self.label, x=self.x, low=self.low, high=self.high)


@dataclass(frozen=True)
class Level(Mark):
    """A straight line across the figure at ``value`` of the axis ``y`` (or ``x``)."""

    value: float
    label: str = ""
    role: Role = "predicted"
    axis: Literal["x", "y"] = "y"

    def __post_init__(self) -> None:
        self._set(value=float(self.value))


@dataclass(frozen=True)
class Histogram(Mark):
    """A histogram of ``values``; ``edges`` are the edges of its bins."""

    values: Column
    edges: Column | None = None
    label: str = ""
    role: Role = "measured"
    bins: int = 40

    def __post_init__(self) -> None:
        import numpy as np

        if self.edges is not None and len(self.edges) == len(self.values) + 1:
            self._set(values=as_floats(self.values), edges=as_floats(self.edges))
            return  # already binned, as when read from JSON
        density, edges = np.histogram(
            as_floats(self.values),
            bins=self.bins if self.edges is None else as_floats(self.edges),
            density=True,
        )
        self._set(values=as_floats(density), edges=as_floats(edges))


@dataclass(frozen=True)
class HeatMap(Mark):
    """A matrix as colours; row 0 is at the bottom. ``x`` and ``y`` are the outer edges."""

    values: Rows
    x: tuple[float, float] = (0.0, 1.0)
    y: tuple[float, float] = (0.0, 1.0)
    label: str = ""
    role: Role = "other"

    def __post_init__(self) -> None:
        self._set(values=as_rows(self.values), x=tuple(as_floats(self.x)))
        self._set(y=tuple(as_floats(self.y)))


@dataclass(frozen=True)
class Image(Mark):
    """A greyscale picture with row 0 at the top; 0 is white, 1 is black."""

    values: Rows
    x: tuple[float, float] = (0.0, 1.0)
    y: tuple[float, float] = (0.0, 1.0)
    label: str = ""
    role: Role = "other"

    def __post_init__(self) -> None:
        self._set(values=as_rows(self.values), x=tuple(as_floats(self.x)))
        self._set(y=tuple(as_floats(self.y)))


@dataclass(frozen=True)
class Regions(Mark):
    """Polygons, each a list of ``(x, y)`` corners, coloured by ``values`` (or by position)."""

    polygons: Sequence[Rows]
    values: Column | None = None
    label: str = ""
    role: Role = "other"

    def __post_init__(self) -> None:
        self._set(polygons=[as_rows(polygon) for polygon in self.polygons])
        if self.values is not None:
            self._set(values=as_floats(self.values))
            _same_length("Regions", self.label, polygons=self.polygons, values=self.values)


@dataclass(frozen=True)
class Graph(Mark):
    """A graph: nodes at ``(x, y)``, ``edges`` as pairs of node numbers, and edge ``weights``."""

    x: Column
    y: Column
    edges: Sequence[tuple[int, int]]
    weights: Column | None = None
    names: Sequence[str] = ()
    label: str = ""
    role: Role = "other"

    def __post_init__(self) -> None:
        self._set(x=as_floats(self.x), y=as_floats(self.y), names=tuple(self.names))
        self._set(edges=tuple((int(a), int(b)) for a, b in self.edges))
        if self.weights is not None:
            self._set(weights=as_floats(self.weights))


MARKS = {m.__name__: m for m in Mark.__subclasses__()}


@dataclass(frozen=True)
class Figure:
    """Axes with their labels, and what is drawn on them.

    Example:
        >>> f = Figure("Squares", x="n", y="n²", marks=(Curve([0, 1, 4], label="n²"),))
        >>> Figure.from_json(f.to_json()) == f
        True
    """

    title: str
    x: str
    y: str
    marks: tuple[Mark, ...]
    log_x: bool = False
    log_y: bool = False
    equal: bool = False  # whether one unit has the same length on both axes
    caption: str = ""
    names: tuple[str, ...] = ()  # labels of the positions 0, 1, 2, ... on the x axis

    def __post_init__(self) -> None:
        object.__setattr__(self, "marks", tuple(self.marks))
        object.__setattr__(self, "names", tuple(self.names))
        if not self.marks:
            raise InputError(f"the figure '{self.title}' needs at least one mark")

    def to_json(self) -> dict[str, Any]:
        """Plain data, ready for ``json.dumps``."""
        out = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return out | {"marks": [mark.to_json() for mark in self.marks]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Figure":
        """The inverse of :meth:`to_json`."""
        return cls(**(data | {"marks": tuple(_mark(m) for m in data["marks"])}))

    def show(self) -> None:
        """Draw with matplotlib (extra ``plot``) and open the window or the notebook cell."""
        from corollary.report.paper import show

        show(self)

    def save(self, path: str | os.PathLike[str], dpi: int = 200) -> Path:
        """Write as ``.svg``, or with matplotlib (extra ``plot``) as ``.png`` or ``.pdf``."""
        from corollary.report.paper import save

        return save(self, path, dpi)

    def _repr_html_(self) -> str:
        from corollary.report.svg import figure_svg

        return figure_svg(self)


def _mark(data: dict[str, Any]) -> Mark:
    fields = {k: v if k in _WORDS else _decode(v) for k, v in data.items() if k != "kind"}
    mark: Mark = MARKS[data["kind"]](**fields)
    return mark


def _encode(value: Any) -> Any:
    if isinstance(value, float):
        return to_json_number(value)
    return [_encode(v) for v in value] if isinstance(value, list | tuple) else value


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(v) for v in value]
    return from_json_number(value) if isinstance(value, str) else value


def _same_length(mark: str, label: str, **columns: Column | Rows | Sequence[Rows]) -> None:
    if len({len(column) for column in columns.values()}) > 1:
        sizes = ", ".join(f"{len(column)} {name}" for name, column in columns.items())
        raise InputError(f"{mark} '{label}' needs columns of one length, got {sizes}")
