"""The legend: rows above the plot, so that they cover no data."""

from collections.abc import Sequence

from corollary.core.figure import Figure, HeatMap, Image, Mark, Points, Regions
from corollary.report.areas import region_fills
from corollary.report.axes import FONT
from corollary.report.inks import ColourScale, Ink, filled
from corollary.report.latex import scripts
from corollary.report.paths import number
from corollary.report.words import lines, width, xml

ROW = 18  # pixels
_SAMPLE = 22  # the piece of line or the dot before the words
_GAP = 16


def legend(figure: Figure, inks: Sequence[Ink], room: float) -> tuple[str, float]:
    """The rows as SVG, drawn from y = 0 on, and their height."""
    out, x, row = "", 0.0, 0
    for mark, ink in zip(figure.marks, inks, strict=True):
        label = scripts(getattr(mark, "label", ""))
        if not label:
            continue
        text = (lines(label, FONT, room - _SAMPLE) or [""])[0]
        if text != " ".join(label.split()):
            text = text.rstrip("…") + "…"
        size = _SAMPLE + width(text, FONT)
        if x > 0 and x + size > room:
            x, row = 0.0, row + 1
        out += _item(mark, ink, text, x, row * ROW)
        x += size + _GAP
    return (out, (row + 1) * ROW) if out else ("", 0.0)


def _item(mark: Mark, ink: Ink, text: str, x: float, y: float) -> str:
    words = f'<text x="{number(x + _SAMPLE)}" y="{number(y + 12)}">{xml(text)}</text>'
    return _sample(mark, ink, x, y + 8) + words


def _sample(mark: Mark, ink: Ink, x: float, y: float) -> str:
    if isinstance(mark, HeatMap | Image | Regions):
        return _patches(mark, x, y)
    if filled(mark):
        box = f'<rect x="{number(x)}" y="{number(y - 5)}" width="16" height="10" '
        return box + f'style="fill:{ink.colour}" fill-opacity="{0.35 * ink.opacity:g}"/>'
    if isinstance(mark, Points):
        cap = "square" if ink.square else "round"
        dot = f'<path d="M{number(x + 8)} {number(y)}h0" stroke-width="6" stroke-linecap="{cap}" '
        return dot + f'style="stroke:{ink.colour}"/>'
    return f'<path d="M{number(x)} {number(y)}h17" {ink.line} stroke-width="2"/>'


def _patches(mark: HeatMap | Image | Regions, x: float, y: float) -> str:
    """Three little boxes in colours of the map."""
    colours = ["#eee", "#aaa", "#333"]
    if isinstance(mark, HeatMap):
        scale = ColourScale.of([v for row in mark.values for v in row])
        colours = [scale.hex(share) for share in (0.15, 0.5, 0.85)]
    elif isinstance(mark, Regions):
        found = sorted(set(region_fills(mark)))
        colours = [found[k * len(found) // 3] for k in range(3)] if found else []
    return "".join(
        f'<rect x="{number(x + 6 * k)}" y="{number(y - 5)}" width="6" height="10" '
        f'style="fill:{colour}"/>'
        for k, colour in enumerate(colours)
    )
