"""Points on the page as SVG path data: relative, one decimal, no needless point or character."""

import math
from collections.abc import Iterable, Sequence

Pixel = tuple[float, float]
TOLERANCE = 0.3  # pixels: a point this close to the line through its neighbours is not drawn


def polyline(points: Sequence[Pixel], *, close: bool = False) -> str:
    """One run of straight lines; a single point becomes a dot under a round line cap.

    Example:
        >>> polyline([(0, 0), (5, 0), (10, 0), (10, 2.5)])
        'M0 0l10 0 0 2.5'
    """
    kept = [_tenths(p) for p in simplified(points)]
    steps = [
        (bx - ax, by - ay)
        for (ax, ay), (bx, by) in zip(kept, kept[1:], strict=False)
        if (ax, ay) != (bx, by)
    ]
    start = "M" + _pairs(kept[:1])
    if not steps:
        return start + "h0"
    return start + "l" + _pairs(steps) + ("z" if close else "")


def dots(points: Iterable[Pixel]) -> str:
    """Separate dots, to be drawn as round line caps; points on the same spot count once.

    Example:
        >>> dots([(1, 1), (3, 1.5), (1, 1)])
        'M1 1h0m2 .5h0'
    """
    spots = sorted({_tenths(p) for p in points})
    out: list[str] = []
    at = (0, 0)
    for spot in spots:
        out.append(("m" if out else "M") + _pairs([(spot[0] - at[0], spot[1] - at[1])]) + "h0")
        at = spot
    return "".join(out)


def segments(pairs: Iterable[tuple[Pixel, Pixel]]) -> str:
    """Separate straight lines."""
    out: list[str] = []
    at = (0, 0)
    for start, end in pairs:
        a, b = _tenths(start), _tenths(end)
        move = ("m" if out else "M") + _pairs([(a[0] - at[0], a[1] - at[1])])
        out.append(move + "l" + _pairs([(b[0] - a[0], b[1] - a[1])]))
        at = b
    return "".join(out)


def number(value: float) -> str:
    """One decimal at most, no leading zero.

    Example:
        >>> number(0.52), number(-3.0), number(120.04)
        ('.5', '-3', '120')
    """
    return _number(round(value * 10))


def simplified(points: Sequence[Pixel]) -> list[Pixel]:
    """The points that matter, by Douglas and Peucker (1973) with :data:`TOLERANCE`."""
    if len(points) < 3:
        return list(points)
    keep, stack = {0, len(points) - 1}, [(0, len(points) - 1)]
    while stack:
        first, last = stack.pop()
        worst, off = first, TOLERANCE
        for i in range(first + 1, last):
            distance = _distance(points[i], points[first], points[last])
            if distance > off:
                worst, off = i, distance
        if worst != first:
            keep.add(worst)
            stack += [(first, worst), (worst, last)]
    return [points[i] for i in sorted(keep)]


def _distance(p: Pixel, a: Pixel, b: Pixel) -> float:
    """From ``p`` to the segment from ``a`` to ``b``."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = dx * dx + dy * dy
    t = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length if length else 0.0
    t = min(1.0, max(0.0, t))
    return math.hypot(p[0] - a[0] - t * dx, p[1] - a[1] - t * dy)


def _tenths(p: Pixel) -> tuple[int, int]:
    return round(p[0] * 10), round(p[1] * 10)


def _number(tenths: int) -> str:
    sign, whole, part = "-" if tenths < 0 else "", abs(tenths) // 10, abs(tenths) % 10
    if part == 0:
        return f"{sign}{whole}" if whole else "0"
    return f"{sign}{whole or ''}.{part}"


def _pairs(values: Iterable[tuple[int, int]]) -> str:
    out = ""
    for value in (v for pair in values for v in pair):
        text = _number(value)
        out += text if not out or text[0] == "-" else f" {text}"
    return out
