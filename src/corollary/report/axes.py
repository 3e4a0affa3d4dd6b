"""Maps data to pixels, and draws the axes.

An :class:`Axis` maps one coordinate; a :class:`Plot` is the rectangle with two of them. Values
that cannot be shown on an axis (not finite, or not positive on a log axis) map to ``None`` and
leave a gap.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from corollary.core.numbers import Column
from corollary.report.paths import Pixel, number, segments
from corollary.report.ticks import labels, linear_ticks, log_ticks
from corollary.report.words import width, xml

FONT = 12  # pixels, tick labels and legend
_FAR = 1e4  # pixels: further out a coordinate is cut, so that huge values stay short


@dataclass(frozen=True)
class Axis:
    """One coordinate: the range shown, and its length in pixels."""

    low: float
    high: float
    length: float
    log: bool = False
    names: tuple[str, ...] = ()  # of the places 0, 1, 2, ...

    def place(self, value: float) -> float | None:
        """Pixels from the low end, or None if the value has no place."""
        if not math.isfinite(value) or (self.log and value <= 0):
            return None
        low, high, v = (math.log10(u) if self.log else u for u in (self.low, self.high, value))
        at = (v / 2 - low / 2) / (high / 2 - low / 2) * self.length  # halves: no overflow
        return min(_FAR, max(-_FAR, at))

    def ticks(self, count: int) -> tuple[list[float], list[float]]:
        """Values of the labelled ticks, and of the minor ticks of a log axis."""
        if self.names:
            return [float(k) for k in range(len(self.names))], []
        return log_ticks(self.low, self.high, count) if self.log else (self._linear(count), [])

    def _linear(self, count: int) -> list[float]:
        return linear_ticks(self.low, self.high, count)


@dataclass(frozen=True)
class Plot:
    """The rectangle that holds the marks; pixel (0, 0) is its upper left corner."""

    x: Axis
    y: Axis

    def at(self, x: float, y: float) -> Pixel | None:
        """A point in pixels."""
        across, up = self.x.place(x), self.y.place(y)
        return None if across is None or up is None else (across, self.y.length - up)

    def runs(self, x: Column, y: Column) -> list[list[Pixel]]:
        """The points in pixels, broken where there is a gap."""
        out: list[list[Pixel]] = [[]]
        for point in (self.at(a, b) for a, b in zip(x, y, strict=True)):
            if point is not None:
                out[-1].append(point)
            elif out[-1]:
                out.append([])
        return [run for run in out if run]

    def box(self, x: Column, y: Column) -> tuple[float, float, float, float]:
        """Left, top, width and height of a rectangle of data; its ends are clipped to the axes."""
        (left, right), (low, high) = (self._ends(self.x, x), self._ends(self.y, y))
        return left, self.y.length - high, right - left, high - low

    def _ends(self, axis: Axis, ends: Column) -> tuple[float, float]:
        places = [axis.place(v) for v in (min(ends), max(ends))]
        low, high = (e if p is None else p for p, e in zip(places, (0, axis.length), strict=True))
        return low, max(high, low + 0.1)


def padded(values: Iterable[float], *, log: bool, pad: float) -> tuple[float, float]:
    """The range of all values that can be shown, widened by a share ``pad``."""
    fit = [min(1e300, max(-1e300, v)) for v in values if math.isfinite(v)]
    if log:
        fit = [math.log10(v) for v in fit if v > 0]
    low, high = (min(fit), max(fit)) if fit else (0.0, 1.0)
    if high - low <= 1e-12 * max(abs(low), abs(high)):  # one value only
        room = 0.5 if log else (abs(low) * 0.1 or 1.0)
        low, high = low - room, high + room
    extra = (high - low) * pad
    low, high = low - extra, high + extra
    if not log:
        return low, high
    low, high = max(low, -307.0), min(high, 307.0)
    return 10.0**low, 10.0**high


def axis_lines(plot: Plot, *, ticked: bool) -> str:
    """Grid, ticks and the numbers beside them, drawn around ``plot``."""
    w, h = plot.x.length, plot.y.length
    frame = segments([((0, h), (w, h))])
    if not ticked:
        return f'<path d="{frame}" stroke="currentColor" stroke-opacity=".35"/>'
    xs, small_x = plot.x.ticks(max(3, int(w / 85)))
    ys, small_y = plot.y.ticks(5)
    across, up = _places(plot.x, xs), _places(plot.y, ys)
    grid = segments(((0, h - v), (w, h - v)) for _, v in up)
    marks = frame + segments(((v, h), (v, h + 4)) for _, v in across)
    marks += segments(((p, h), (p, h + 2.5)) for p in _inside(plot.x, small_x))
    marks += segments(((-2.5, h - p), (0, h - p)) for p in _inside(plot.y, small_y))
    return (
        f'<path d="{grid}" stroke="currentColor" stroke-opacity=".13"/>'
        f'<path d="{marks}" stroke="currentColor" stroke-opacity=".5"/>'
        + _below(plot.x, across, h)
        + _numbers(up, plot.y.log, lambda v: f'x="-7" y="{number(h - v + 4)}"', "end")
    )


def names_height(axis: Axis) -> float:
    """The extra height that slanted names below a horizontal axis need."""
    return 0.5 * max(width(name, FONT) for name in axis.names) if _slanted(axis) else 0.0


def _slanted(axis: Axis) -> bool:
    """Whether the names are too long to be written side by side."""
    slot = axis.length / max(len(axis.names), 1)
    return any(width(name, FONT) + 6 > slot for name in axis.names)


def _below(axis: Axis, places: list[tuple[float, float]], h: float) -> str:
    if not axis.names:
        return _numbers(
            places, axis.log, lambda v: f'x="{number(v)}" y="{number(h + 17)}"', "middle"
        )
    slanted = _slanted(axis)
    turn = ' transform="rotate(-30 {0} {1})"' if slanted else ""
    texts = []
    for tick, at in places:
        x, y = number(at), number(h + (13 if slanted else 17))
        text = xml(axis.names[int(tick)])
        texts.append(f'<text x="{x}" y="{y}"{turn.format(x, y)}>{text}</text>')
    anchor = "end" if slanted else "middle"
    style = f'text-anchor="{anchor}" fill="currentColor" fill-opacity=".72"'
    return f"<g {style}>{''.join(texts)}</g>"


def label_width(axis: Axis) -> float:
    """The width that the numbers of a vertical axis need."""
    ticks = axis.ticks(5)[0]
    return max((width(text, FONT) for text in labels(ticks, log=axis.log)), default=0.0)


def _places(axis: Axis, ticks: list[float]) -> list[tuple[float, float]]:
    places = ((t, axis.place(t)) for t in ticks)
    return [(t, p) for t, p in places if p is not None and -0.5 <= p <= axis.length + 0.5]


def _inside(axis: Axis, ticks: list[float]) -> list[float]:
    return [p for _, p in _places(axis, ticks)]


def _numbers(
    places: list[tuple[float, float]], log: bool, where: Callable[[float], str], anchor: str
) -> str:
    texts = labels([t for t, _ in places], log=log)
    inner = "".join(
        f"<text {where(v)}>{xml(text)}</text>" for (_, v), text in zip(places, texts, strict=True)
    )
    return f'<g text-anchor="{anchor}" fill="currentColor" fill-opacity=".72">{inner}</g>'
