"""Figures for papers and windows: PNG and PDF through matplotlib (extra ``plot``), SVG without.

``report.svg`` draws the figures of pages; this module writes them to a file, or shows them in a
window or a notebook cell.
"""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
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
from corollary.errors import InputError, MissingExtraError, ResultsFileError
from corollary.report.areas import figure_scale, region_fills
from corollary.report.inks import Ink, inks
from corollary.report.latex import scripts
from corollary.report.svg_file import svg_file

FORMATS = (".png", ".pdf", ".svg")
_SIZE = (5.2, 3.6)  # inches a panel
_LONG, _LINE = 36, 60  # letters of a label that fit inside the axes, and below them


def show(figure: Figure | Sequence[Figure]) -> None:
    """Open the figure in a window, or in the notebook's cell."""
    _needs_matplotlib()
    from matplotlib import pyplot

    panels = _panels(figure)
    drawing = pyplot.figure(figsize=_size(panels), layout="constrained")
    _draw(drawing, panels)
    pyplot.show()


def save(figure: Figure | Sequence[Figure], path: str | os.PathLike[str], dpi: int = 200) -> Path:
    """Write one figure, or several side by side; the suffix decides the format.

    Raises:
        InputError: if the suffix is none of .png, .pdf, .svg.
        ResultsFileError: if the file cannot be written.
        MissingExtraError: without matplotlib, which all formats but SVG need.
    """
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise InputError(
            f"expected a file name with the suffix {', '.join(FORMATS)}, got '{target.name}'"
        )
    panels = _panels(figure)
    try:
        if target.suffix.lower() == ".svg":
            target.write_text(svg_file(panels), encoding="utf-8")
        else:
            _save_drawing(panels, target, dpi)
    except OSError as error:
        why = error.strerror or str(error)
        raise ResultsFileError(f"the figure cannot be written to {target} ({why})") from None
    return target


def _save_drawing(panels: list[Figure], target: Path, dpi: int) -> None:
    _needs_matplotlib()
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=_size(panels), layout="constrained")
    _draw(drawing, panels)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # a letter the font lacks is a box
        drawing.savefig(target, dpi=dpi)


def _needs_matplotlib() -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "figures of this format are drawn by matplotlib, which is not installed: pip install "
            "'corollary[plot]', or choose a file name that ends in .svg"
        ) from None


def _panels(figure: Figure | Sequence[Figure]) -> list[Figure]:
    return [figure] if isinstance(figure, Figure) else list(figure)


def _size(panels: list[Figure]) -> tuple[float, float]:
    return _SIZE[0] * len(panels), _SIZE[1] + 0.17 * max(map(_key_lines, panels))


def _key_lines(figure: Figure) -> int:
    """Lines of the legend below the axes; none if all labels are short enough to fit inside."""
    labels = [getattr(mark, "label", "") for mark in figure.marks]
    long = any(len(label) > _LONG for label in labels)
    return sum(len(wrap(label, _LINE)) for label in labels) if long else 0


def _draw(drawing: Any, panels: list[Figure]) -> None:
    for k, figure in enumerate(panels):
        axes = drawing.add_subplot(1, len(panels), k + 1)
        for mark, ink in zip(figure.marks, inks(figure), strict=True):
            _DRAWN[type(mark)](axes, mark, ink)
        _dress(drawing, axes, figure)


def _dress(drawing: Any, axes: Any, figure: Figure) -> None:
    axes.set_title(_text(figure.title), fontsize=11, loc="left")
    axes.set_xlabel(_text(figure.x))
    axes.set_ylabel(_text(figure.y))
    if figure.log_x:
        axes.set_xscale("log", nonpositive="mask")
        _thin_ticks(axes.xaxis)
    if figure.log_y:
        axes.set_yscale("log", nonpositive="mask")
        _thin_ticks(axes.yaxis)
    if figure.names:
        axes.set_xticks(range(len(figure.names)), [_text(name) for name in figure.names])
    if figure.equal:
        axes.set_aspect("equal", adjustable="datalim")
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_legend_handles_labels()[1]:
        below = {"loc": "upper left", "bbox_to_anchor": (0.0, -0.16)} if _key_lines(figure) else {}
        axes.legend(frameon=False, fontsize=8, **below)
    if axes.images and figure_scale(figure) is not None:
        drawing.colorbar(axes.images[0], ax=axes)


def _thin_ticks(axis: Any) -> None:
    """Plain numbers at 1, 2 and 5 where about a decade is shown: more would overlap."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    low, high = axis.get_view_interval()
    if 5 * low < high < 100 * low:
        axis.set_minor_locator(LogLocator(subs=(2, 5)))
        for set_formatter in (axis.set_major_formatter, axis.set_minor_formatter):
            set_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _text(text: str) -> str:
    return scripts(text).replace("$", r"\$")


def _colour(ink: Ink) -> str:
    """The fallback inside ``var(--name,#rrggbb)``."""
    return ink.colour.partition(",")[2].rstrip(")") or ink.colour


def _style(mark: Mark, ink: Ink) -> dict[str, Any]:
    label = "\n".join(wrap(_text(getattr(mark, "label", "")), _LINE))
    return {"color": _colour(ink), "alpha": ink.opacity} | ({"label": label} if label else {})


def _dashes(ink: Ink) -> Any:
    return (0, tuple(map(float, ink.dash.split()))) if ink.dash else "-"


def _curve(axes: Any, mark: Curve, ink: Ink) -> None:
    axes.plot(mark.x, mark.y, linestyle=_dashes(ink), **_style(mark, ink))


def _points(axes: Any, mark: Points, ink: Ink) -> None:
    style = _style(mark, ink) | {"fmt": "s" if ink.square else "o", "markersize": 3.5}
    if mark.low is None and mark.high is None:
        axes.errorbar(mark.x, mark.y, **style)
        return
    low = [max(0.0, y - a) for y, a in zip(mark.y, mark.low or mark.y, strict=True)]
    high = [max(0.0, b - y) for y, b in zip(mark.y, mark.high or mark.y, strict=True)]
    axes.errorbar(mark.x, mark.y, yerr=(low, high), capsize=2, **style)


def _band(axes: Any, mark: Band, ink: Ink) -> None:
    style = _style(mark, ink) | {"alpha": 0.22 * ink.opacity}
    axes.fill_between(mark.x, mark.low, mark.high, linewidth=0, **style)


def _level(axes: Any, mark: Level, ink: Ink) -> None:
    line = axes.axhline if mark.axis == "y" else axes.axvline
    line(mark.value, linestyle=_dashes(ink), **_style(mark, ink))


def _histogram(axes: Any, mark: Histogram, ink: Ink) -> None:
    style = _style(mark, ink) | {"alpha": 0.35 * ink.opacity, "fill": True}
    axes.stairs(mark.values, mark.edges, **style)


def _heat_map(axes: Any, mark: HeatMap, ink: Ink) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    scale = figure_scale(Figure("", "", "", (mark,)))
    assert scale is not None, "a heat map always has a scale"
    stops = [scale[0].hex(k / 16) for k in range(17)]
    axes.imshow(
        mark.values,
        origin="lower",
        extent=(*mark.x, *mark.y),
        aspect="auto",
        cmap=LinearSegmentedColormap.from_list("corollary", stops),
        vmin=scale[0].low,
        vmax=scale[0].high,
    )


def _image(axes: Any, mark: Image, ink: Ink) -> None:
    extent = (*mark.x, *mark.y)
    axes.imshow(mark.values, extent=extent, aspect="auto", cmap="Greys", vmin=0, vmax=1)


def _regions(axes: Any, mark: Regions, ink: Ink) -> None:
    for polygon, fill in zip(mark.polygons, region_fills(mark), strict=True):
        colour = fill.partition(",")[2].rstrip(")") if fill.startswith("var") else fill
        x, y = [c[0] for c in polygon], [c[1] for c in polygon]
        axes.fill(x, y, facecolor=colour, edgecolor="0.3", linewidth=0.5, alpha=0.7)


def _graph(axes: Any, mark: Graph, ink: Ink) -> None:
    weights = list(mark.weights or [1.0] * len(mark.edges))
    largest = max(map(abs, weights), default=1.0) or 1.0
    for (a, b), w in zip(mark.edges, weights, strict=False):
        colour = "0.5" if w >= 0 else "#d1603d"
        ends = [mark.x[a], mark.x[b]], [mark.y[a], mark.y[b]]
        axes.plot(*ends, color=colour, linewidth=0.3 + 1.5 * abs(w) / largest, zorder=1)
    axes.plot(mark.x, mark.y, "o", **_style(mark, ink))
    for x, y, name in zip(mark.x, mark.y, mark.names, strict=False):
        axes.annotate(_text(name), (x, y), xytext=(0, 6), textcoords="offset points", ha="center")


_DRAWN: dict[type[Mark], Any] = {
    Curve: _curve,
    Points: _points,
    Band: _band,
    Level: _level,
    Histogram: _histogram,
    HeatMap: _heat_map,
    Image: _image,
    Regions: _regions,
    Graph: _graph,
}
