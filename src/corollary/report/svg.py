"""A figure as SVG: small, for light and dark pages, and with a description for screen readers.

Lines take the page's colours through the CSS variables ``--predicted``, ``--measured`` and
``--other-1`` to ``--other-6``, text and axes take ``currentColor``. Without these variables the
fallback colours are legible on white and on black, so the same SVG works in a report, in a
notebook and as a file.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from corollary.core.figure import (
    Band,
    Curve,
    Figure,
    Graph,
    HeatMap,
    Histogram,
    Image,
    Level,
    Mark,
    Points,
    Regions,
)
from corollary.report.areas import (
    figure_scale,
    graph,
    heat_map,
    image,
    regions,
    scale_bar,
    scale_width,
)
from corollary.report.axes import FONT, Axis, Plot, axis_lines, label_width, names_height
from corollary.report.inks import Ink, inks
from corollary.report.latex import scripts
from corollary.report.legend import legend
from corollary.report.marks import band, curve, histogram, level, points
from corollary.report.paths import number
from corollary.report.ranges import extent, ranges
from corollary.report.words import lines, xml

WIDTH, HEIGHT = 480, 225  # the whole drawing's width; the plot's height
_DRAWN: dict[type[Mark], Callable[[Any, Ink, Plot], str]] = {
    HeatMap: heat_map,
    Image: image,
    Regions: regions,
    Band: band,
    Histogram: histogram,
    Graph: graph,
    Level: level,
    Curve: curve,
    Points: points,
}


@dataclass(frozen=True)
class _Page:
    """The layout: the plot, and the height of everything above it."""

    plot: Plot
    left: float
    top: float


def figure_svg(
    figure: Figure, *, width: float = WIDTH, height: float = HEIGHT, title: bool = True
) -> str:
    """The figure as one ``<svg>`` element, well-formed XML.

    Args:
        figure: What to draw.
        width: Pixels of the whole drawing; it scales to the width of its place.
        height: Pixels of the plot itself, without title, legend and labels.
        title: Whether the title is drawn; screen readers always get it.

    Example:
        >>> figure_svg(Figure("Squares", x="n", y="n²", marks=(Curve([0, 1, 4]),)))[:4]
        '<svg'
    """
    room = width - 16
    heading = lines(scripts(figure.title), 16, room) if title else []
    marks_ink = inks(figure)
    rows, rows_height = legend(figure, marks_ink, room)
    page = _layout(figure, width, height, 20 * len(heading) + rows_height)
    scale = figure_scale(figure)
    plot = page.plot
    foot = lines(scripts(figure.x), FONT + 1, room)
    below = 24 + names_height(plot.x) if _ticked(figure) else 8
    total = page.top + plot.y.length + below + 17 * len(foot) + 4
    parts = [
        _head(figure, width, total),
        _title(heading),
        _group(8, 20 * len(heading) + 4, f'<g fill="currentColor">{rows}</g>') if rows else "",
        _label(figure.y, 8, page.top - 9, room),
        _group(page.left, page.top, axis_lines(plot, ticked=_ticked(figure))),
        _clipped(figure, marks_ink, page),
        _group(page.left + plot.x.length + 8, page.top, scale_bar(scale[0], plot.y.length))
        if scale
        else "",
        _foot(foot, page, total),
        "</svg>",
    ]
    return "".join(parts)


def sketch_svg(figure: Figure, *, width: float = 320, height: float = 180) -> str:
    """The marks alone, without numbers and words around them: the small picture of a card.

    Example:
        >>> "<text" in sketch_svg(Figure("Squares", x="n", y="n²", marks=(Curve([0, 1, 4]),)))
        False
    """
    (x0, x1), (y0, y1) = ranges(figure)
    across, up = float(width), float(height)
    if figure.equal:
        across, up = _equal(figure, across, up, (x0, x1), (y0, y1))
    plot = Plot(Axis(x0, x1, across, figure.log_x), Axis(y0, y1, up, figure.log_y))
    page = _Page(plot, (width - across) / 2, (height - up) / 2)
    return _head(figure, width, height) + _clipped(figure, inks(figure), page) + "</svg>"


def _layout(figure: Figure, width: float, height: float, above: float) -> _Page:
    (x0, x1), (y0, y1) = ranges(figure)
    scale = figure_scale(figure)
    ticked = _ticked(figure)
    left = 16 + (label_width(Axis(y0, y1, height, figure.log_y)) if ticked else 0)
    across = width - left - 14 - (scale_width(scale[0]) + 4 if scale else 0)
    across, height = max(across, 60.0), float(height)
    if figure.equal:
        across, height = _equal(figure, across, height * 1.35, (x0, x1), (y0, y1))
    x_axis = Axis(x0, x1, across, figure.log_x, figure.names)
    plot = Plot(x_axis, Axis(y0, y1, height, figure.log_y))
    return _Page(plot, left, above + (28 if figure.y else 12))


def _equal(
    figure: Figure,
    across: float,
    height: float,
    x: tuple[float, float],
    y: tuple[float, float],
) -> tuple[float, float]:
    """The largest plot whose units are equally long on both axes."""
    wide = _units(x, figure.log_x) / _units(y, figure.log_y)
    wide = min(8.0, max(0.125, wide)) if math.isfinite(wide) else 1.0
    return (height * wide, height) if height * wide <= across else (across, across / wide)


def _units(ends: tuple[float, float], log: bool) -> float:
    low, high = (math.log10(v) for v in ends) if log else ends
    return high / 2 - low / 2


def _ticked(figure: Figure) -> bool:
    """Pictures and graphs alone have no numbers on their axes."""
    return not all(isinstance(m, Image | Graph) for m in figure.marks)


def _head(figure: Figure, width: float, total: float) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(total)}" '
        f'role="img" class="figure" font-family="system-ui,sans-serif" font-size="{FONT}" '
        f'fill="none" style="width:100%;max-width:{number(width)}px;height:auto">'
        f"<title>{xml(figure.title)}</title><desc>{xml(description(figure))}</desc>"
    )


def description(figure: Figure) -> str:
    """The figure in words, for those who cannot see it."""
    axes = [_axis_words("x", figure.x, figure.log_x), _axis_words("y", figure.y, figure.log_y)]
    named = [_mark_words(m) for m in figure.marks if getattr(m, "label", "")]
    return " ".join([*axes, *named, figure.caption]).strip()


def _axis_words(axis: str, label: str, log: bool) -> str:
    return f"{axis}: {label}{' (log)' if log else ''}."


def _mark_words(mark: Any) -> str:
    fit = [v for v in extent(mark)[1] if math.isfinite(v)]
    if isinstance(mark, HeatMap | Image | Regions | Graph) or not fit:
        return f"{mark.label}."
    low, high = f"{min(fit):.3g}", f"{max(fit):.3g}"
    return f"{mark.label}: {low if low == high else f'{low} to {high}'}."


def _title(heading: list[str]) -> str:
    rows = "".join(
        f'<text x="8" y="{16 + 20 * k}">{xml(text)}</text>' for k, text in enumerate(heading)
    )
    return f'<g fill="currentColor" font-size="15" font-weight="600">{rows}</g>' if rows else ""


def _label(text: str, x: float, y: float, room: float) -> str:
    if not text:
        return ""
    shown = (lines(scripts(text), FONT + 1, room) or [""])[0]
    return (
        f'<text x="{number(x)}" y="{number(y)}" fill="currentColor" font-size="13" '
        f'font-style="italic">{xml(shown)}</text>'
    )


def _foot(foot: list[str], page: _Page, total: float) -> str:
    middle = page.left + page.plot.x.length / 2
    rows = "".join(
        f'<text x="{number(middle)}" y="{number(total - 8 - 17 * (len(foot) - 1 - k))}">'
        f"{xml(text)}</text>"
        for k, text in enumerate(foot)
    )
    style = 'fill="currentColor" font-size="13" font-style="italic" text-anchor="middle"'
    return f"<g {style}>{rows}</g>" if rows else ""


def _clipped(figure: Figure, marks_ink: list[Ink], page: _Page) -> str:
    """The marks in a nested ``<svg>``, which clips them without needing an id."""
    order = {kind: k for k, kind in enumerate(_DRAWN)}
    drawn = sorted(zip(figure.marks, marks_ink, strict=True), key=lambda pair: order[type(pair[0])])
    body = "".join(_named(mark, _DRAWN[type(mark)](mark, ink, page.plot)) for mark, ink in drawn)
    w, h = number(page.plot.x.length), number(page.plot.y.length)
    return (
        f'<svg x="{number(page.left)}" y="{number(page.top)}" width="{w}" height="{h}" '
        f'stroke-linejoin="round"{_scales(figure, page.plot)}>{body}</svg>'
    )


def _named(mark: Mark, drawn: str) -> str:
    """A mark with its label, so that a page can show its values."""
    label = getattr(mark, "label", "")
    if not (drawn and label and isinstance(mark, Curve | Points | Level | Histogram)):
        return drawn
    return f'<g data-l="{xml(scripts(label))}">{drawn}</g>'


def _scales(figure: Figure, plot: Plot) -> str:
    """The ranges of the axes: first and last value, and whether they are logarithmic."""
    if not _ticked(figure):
        return ""
    ends = (f"{a.low:.6g} {a.high:.6g} {int(a.log)}" for a in (plot.x, plot.y))
    x, y = ends
    names = f' data-n="{xml("|".join(figure.names))}"' if figure.names else ""
    return f' data-x="{x}" data-y="{y}"{names}'


def _group(x: float, y: float, body: str) -> str:
    return f'<g transform="translate({number(x)} {number(y)})">{body}</g>'
