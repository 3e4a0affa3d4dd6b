"""Figures as an SVG file that stands alone: several side by side, and no colours of a page."""

import re
from collections.abc import Sequence

from corollary.core.figure import Figure
from corollary.report.svg import figure_svg

_HEAD = re.compile(r'<svg xmlns="\S+" viewBox="0 0 (\S+) (\S+)"(.*?) style="[^"]*"')


def svg_file(figures: Sequence[Figure]) -> str:
    """The text of the file.

    Example:
        >>> from corollary.core import Curve
        >>> text = svg_file([Figure("Squares", x="n", y="n²", marks=(Curve([0, 1, 4]),))])
        >>> text.count("<svg"), "var(" in text
        (3, False)
    """
    panels, across, down = [], 0.0, 0.0
    for figure in figures:
        drawn = figure_svg(figure)
        width, height = map(float, _HEAD.match(drawn).groups()[:2])  # type: ignore[union-attr]
        panels.append(_HEAD.sub(_placed(across), drawn, count=1))
        across, down = across + width, max(down, height)
    body = re.sub(r"var\(--[\w-]+,([^)]*)\)", r"\1", "".join(panels))
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across:g} {down:g}" '
        f'width="{across:g}" height="{down:g}">{body}</svg>\n'
    )


def _placed(x: float) -> str:
    """The head of a panel that begins at ``x``, in the place of a head that fills its page."""
    return rf'<svg x="{x:g}" width="\1" height="\2" viewBox="0 0 \1 \2"\3'
