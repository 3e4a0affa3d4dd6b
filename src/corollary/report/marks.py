"""Marks along a line: curves, points with bars, bands, levels, histograms."""

import math

from corollary.core.figure import Band, Curve, Histogram, Level, Points
from corollary.report.axes import Plot
from corollary.report.inks import Ink
from corollary.report.paths import Pixel, dots, polyline, segments

MANY = 300  # dots; more than this are drawn smaller and let the ones below shine through
MOST = 800  # dots that are drawn; of more, every second or third is


def curve(mark: Curve, ink: Ink, plot: Plot) -> str:
    """A line, broken at gaps; a single point between gaps is a dot."""
    data = "".join(polyline(run) for run in plot.runs(mark.x or (), mark.y))
    return f'<path d="{data}" {ink.line} stroke-width="1.8"/>' if data else ""


def points(mark: Points, ink: Ink, plot: Plot) -> str:
    """Dots, with a bar from low to high where these are given."""
    places = [plot.at(a, b) for a, b in zip(mark.x, mark.y, strict=True)]
    seen = [p for p in places if p is not None]
    many = len(seen) > MANY
    if many:  # whole pixels, and no more dots than can be told apart
        seen = [(float(round(a)), float(round(b))) for a, b in seen[:: -(-len(seen) // MOST)]]
    data = dots(seen)
    if not data:
        return ""
    opacity = min(ink.opacity, 0.65) if many else ink.opacity
    cap = "square" if ink.square else "round"
    size = (2.6 if many else 5.5) - (1 if ink.square else 0)
    halo = f'stroke-width="{size + 2.5:g}" stroke-linecap="{cap}"/>'
    under = f'<path d="{data}" style="stroke:var(--paper,#fff)" {halo}' if ink.halo else ""
    return (
        _bars(mark, ink, plot)
        + under
        + (
            f'<path d="{data}" style="stroke:{ink.colour}" stroke-width="{size:g}" '
            f'stroke-linecap="{cap}"'
            + (f' stroke-opacity="{opacity:g}"/>' if opacity < 1 else "/>")
        )
    )


def _bars(mark: Points, ink: Ink, plot: Plot) -> str:
    low, high = mark.low or mark.y, mark.high or mark.y
    if mark.low is None and mark.high is None:
        return ""
    bars: list[tuple[Pixel, Pixel]] = []
    for x, a, b in zip(mark.x, low, high, strict=True):
        top, foot = plot.at(x, b), plot.at(x, a)
        if top is not None:
            floor = foot[1] if foot else plot.y.length  # a bar to below a log axis meets its foot
            bars += [(top, (top[0], floor)), ((top[0] - 3, top[1]), (top[0] + 3, top[1]))]
            bars += [((top[0] - 3, floor), (top[0] + 3, floor))] if foot else []
    return f'<path d="{segments(bars)}" style="stroke:{ink.colour}" stroke-width="1.3"/>'


def band(mark: Band, ink: Ink, plot: Plot) -> str:
    """The area between two lines; a lower end that is off a log axis is drawn at the axis."""
    runs: list[list[tuple[Pixel, Pixel]]] = [[]]
    for x, a, b in zip(mark.x, mark.low, mark.high, strict=True):
        top, foot = plot.at(x, b), plot.at(x, a)
        if top is None or math.isnan(a):
            runs.append([])
        else:
            runs[-1].append((top, foot or (top[0], plot.y.length)))
    outlines = ([p for p, _ in run] + [q for _, q in reversed(run)] for run in runs if run)
    data = "".join(polyline(outline, close=True) for outline in outlines)
    if not data:
        return ""
    return f'<path d="{data}" style="fill:{ink.colour}" fill-opacity="{0.22 * ink.opacity:g}"/>'


def level(mark: Level, ink: Ink, plot: Plot) -> str:
    """A straight line across."""
    axis = plot.y if mark.axis == "y" else plot.x
    at = axis.place(mark.value)
    if at is None:
        return ""
    w, h = plot.x.length, plot.y.length
    ends = ((0.0, h - at), (w, h - at)) if mark.axis == "y" else ((at, 0.0), (at, h))
    return f'<path d="{segments([ends])}" {ink.line} stroke-width="1.8"/>'


def histogram(mark: Histogram, ink: Ink, plot: Plot) -> str:
    """One outline over all bars, filled."""
    edges, outlines = list(mark.edges or ()), list[list[Pixel]]()
    foot = plot.y.length - (plot.y.place(0.0) or 0.0)
    for left, right, value in zip(edges, edges[1:], mark.values, strict=False):
        a, b = plot.x.place(left), plot.x.place(right)
        up = plot.y.place(value)
        if a is None or b is None or up is None:
            continue
        top = plot.y.length - up
        if not outlines or outlines[-1][-1][0] != a:
            outlines.append([(a, foot)])
        outlines[-1] += [(a, top), (b, top)]
    closed = ([*run, (run[-1][0], foot)] for run in outlines)
    data = "".join(polyline(run, close=True) for run in closed)
    if not data:
        return ""
    fill = f"stroke:{ink.colour};fill:{ink.colour}"
    return f'<path d="{data}" style="{fill}" fill-opacity="{0.3 * ink.opacity:g}"/>'
