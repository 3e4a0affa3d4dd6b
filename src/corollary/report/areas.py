"""Marks that fill a plane: heat maps, images, regions; and graphs."""

import math

from corollary.core.figure import Figure, Graph, HeatMap, Image, Regions
from corollary.core.numbers import Column
from corollary.report.axes import FONT, Axis, Plot
from corollary.report.inks import OTHERS, ColourScale, Ink
from corollary.report.paths import Pixel, dots, number, polyline, segments
from corollary.report.png import LEVELS, png_uri
from corollary.report.ticks import labels
from corollary.report.words import width, xml

_KINDS = 6  # so many different whole numbers are kinds with a colour each, not a scale
_STEPS = 24  # colours of a scale that is drawn as polygons


def heat_map(mark: HeatMap, ink: Ink, plot: Plot) -> str:
    """The matrix as an embedded image, row 0 at the bottom."""
    scale = ColourScale.of([v for row in mark.values for v in row])
    palette = [scale.rgb(k / (LEVELS - 1)) for k in range(LEVELS)]
    shares = [[scale.share(v) for v in row] for row in reversed(mark.values)]
    return _picture(png_uri(shares, palette), plot, mark.x, mark.y)


def image(mark: Image, ink: Ink, plot: Plot) -> str:
    """A greyscale image, row 0 on top; its background is white in both themes."""
    palette = [(255 - 232 * k // 31,) * 3 for k in range(32)]
    grey = [(a, b, c) for a, b, c in palette]
    return _picture(png_uri(mark.values, grey), plot, mark.x, mark.y)


def _picture(uri: str, plot: Plot, x: Column, y: Column) -> str:
    left, top, w, h = map(number, plot.box(x, y))
    return (
        f'<image x="{left}" y="{top}" width="{w}" height="{h}" preserveAspectRatio="none" '
        f'style="image-rendering:pixelated" href="{uri}"/>'
    )


def regions(mark: Regions, ink: Ink, plot: Plot) -> str:
    """Polygons; those of one colour share a path."""
    fills: dict[str, list[str]] = {}
    for polygon, fill in zip(mark.polygons, region_fills(mark), strict=True):
        corners = [plot.at(c[0], c[1]) for c in polygon]
        inside = [c for c in corners if c is not None]
        if len(inside) >= 3:
            fills.setdefault(fill, []).append(polyline(inside, close=True))
    paths = (f'<path d="{"".join(data)}" style="fill:{fill}"/>' for fill, data in fills.items())
    return (
        '<g fill-opacity=".6" stroke="currentColor" stroke-opacity=".55" stroke-width=".7" '
        f'stroke-linejoin="round">{"".join(paths)}</g>'
    )


def region_fills(mark: Regions) -> list[str]:
    """A colour for each polygon: by its kind, by its value on a scale, or in turn."""
    if mark.values is None:
        return [_kind_colour(k) for k in range(len(mark.polygons))]
    kinds = _kinds(mark)
    if kinds:
        return [_kind_colour(kinds.index(v)) if v in kinds else "none" for v in mark.values]
    scale = ColourScale.of(list(mark.values))
    steps = (round(_STEPS * scale.share(v)) if math.isfinite(v) else -1 for v in mark.values)
    return ["none" if k < 0 else scale.hex(k / _STEPS) for k in steps]


def _kinds(mark: Regions) -> list[float]:
    found = sorted({v for v in mark.values or () if math.isfinite(v)})
    return found if len(found) <= _KINDS and all(v == int(v) for v in found) else []


def _kind_colour(k: int) -> str:
    k %= len(OTHERS)
    return f"var(--other-{k + 1},{OTHERS[k]})"


def graph(mark: Graph, ink: Ink, plot: Plot) -> str:
    """Edges by weight (thickness, and colour for the sign), then nodes, then names."""
    places = [plot.at(a, b) for a, b in zip(mark.x, mark.y, strict=True)]
    nodes = [p for p in places if p is not None]
    many = len(nodes) > 60
    size = 3 if many else 9
    body = _edges(mark, places)
    body += f'<path d="{dots(nodes)}" style="stroke:{ink.colour}" stroke-width="{size}"/>'
    for place, name in zip(places, mark.names, strict=False):
        if place is not None and name and not many:
            x, y = number(place[0]), number(place[1] - 9)
            body += f'<text x="{x}" y="{y}" text-anchor="middle">{xml(name)}</text>'
    return f'<g stroke-linecap="round" fill="currentColor">{body}</g>'


def _edges(mark: Graph, places: list[Pixel | None]) -> str:
    weights = list(mark.weights or [1.0] * len(mark.edges))
    largest = max((abs(w) for w in weights if math.isfinite(w)), default=1.0) or 1.0
    groups: dict[tuple[str, float], list[tuple[Pixel, Pixel]]] = {}
    for (a, b), w in zip(mark.edges, weights, strict=False):
        if not (0 <= a < len(places) and 0 <= b < len(places)) or not math.isfinite(w):
            continue
        start, end = places[a], places[b]
        if start is not None and end is not None and w != 0:
            colour = "currentColor" if w > 0 else "var(--predicted,#d1603d)"
            thick = max(0.4, round(4 * abs(w) / largest) / 2) if mark.weights else 1.0
            groups.setdefault((colour, thick), []).append((start, end))
    return "".join(
        f'<path d="{segments(ends)}" style="stroke:{colour}" stroke-opacity=".45" '
        f'stroke-width="{thick:g}"/>'
        for (colour, thick), ends in groups.items()
    )


def figure_scale(figure: Figure) -> tuple[ColourScale, str] | None:
    """The colour scale that the figure needs beside it, with its label."""
    for mark in figure.marks:
        if isinstance(mark, HeatMap):
            return ColourScale.of([v for row in mark.values for v in row]), mark.label
        if isinstance(mark, Regions) and mark.values and not _kinds(mark):
            return ColourScale.of(list(mark.values)), mark.label
    return None


def scale_bar(scale: ColourScale, height: float) -> str:
    """A vertical bar of the colours from low to high, with their numbers."""
    palette = [scale.rgb(1 - k / 31) for k in range(32)]
    uri = png_uri([[k / 31] for k in range(32)], palette)
    axis = Axis(scale.low, scale.high, height)
    ticks = [t for t in axis.ticks(4)[0] if scale.low <= t <= scale.high]
    numbers = "".join(
        f'<text x="16" y="{number(height - (axis.place(t) or 0) + 4)}">{xml(text)}</text>'
        for t, text in zip(ticks, labels(ticks), strict=True)
    )
    return (
        f'<image width="10" height="{number(height)}" preserveAspectRatio="none" href="{uri}"/>'
        f'<g fill="currentColor" fill-opacity=".72">{numbers}</g>'
    )


def scale_width(scale: ColourScale) -> float:
    """The width that the colour bar and its numbers need."""
    ticks = Axis(scale.low, scale.high, 100).ticks(4)[0]
    return 22 + max((width(text, FONT) for text in labels(ticks)), default=0.0)
