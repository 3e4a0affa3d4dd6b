"""The map of all claims as one self-contained page, and as a part of another page."""

import json
import os
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from markupsafe import Markup

from corollary.courses.dependencies import Graph
from corollary.registry import chapter, find, reading_turn
from corollary.report.map_layout import HEIGHT, WIDTH, Layout, layout
from corollary.report.page import asset, policy, script, template, typeface, write_page
from corollary.report.statement import terminal_text

MARGIN = 30  # around the drawing, in pixels
LONGEST = 24  # letters of a name that fit into its box
TITLES = 420  # pixels for the titles of the lanes
SAID = 700  # letters of a statement


def write_map_page(graph: Graph, path: str | os.PathLike[str]) -> Path:
    """Write the page; what was at ``path`` is replaced only once the new page is complete.

    Raises:
        ResultsFileError: if the page cannot be written there.
    """
    return write_page(map_page(graph), path)


def map_page(graph: Graph) -> str:
    """The whole page as text."""
    code = asset("map.js")
    return template("map.html.jinja").render(
        body=Markup(map_html(graph)),
        claims=len(graph.uses),
        edges=graph.edges,
        policy=policy([script(), code]),
        style=Markup(typeface() + asset("report.css") + asset("map.css")),
        script=Markup(script()),
        code=Markup(code),
    )


def map_html(graph: Graph, link: Callable[[str], str] = lambda name: "") -> str:
    """The drawing, its controls and its data, for a page that adds ``map.css`` and ``map.js``.

    Args:
        graph: The claims.
        link: The address of a claim's own page; without one, its statement is in the data.
    """
    places = layout(graph, sorted({n.split("/")[0] for n in graph.uses}, key=reading_turn))
    facts = [_facts(graph, name, link(name)) for name in graph.uses]
    return template("map_body.html.jinja").render(
        svg=Markup(map_svg(graph, places)),
        data=Markup(json.dumps(facts, ensure_ascii=False).replace("<", "\\u003c")),
        names=[(f["name"], f["title"]) for f in facts],
        claims=len(facts),
        edges=graph.edges,
    )


def _facts(graph: Graph, name: str, link: str) -> dict[str, Any]:
    entry = find(name)
    numbers = {other: k for k, other in enumerate(graph.uses)}
    facts: dict[str, Any] = {"name": entry.stem, "title": entry.title, "area": entry.area}
    facts |= {"kind": entry.kind, "uses": [numbers[other] for other in graph.uses[name]]}
    if link:
        return facts | {"link": link}
    said = terminal_text(entry.statement, 10_000)
    return facts | {"says": said if len(said) < SAID else said[:SAID].rsplit(" ", 1)[0] + " …"}


def map_svg(graph: Graph, places: Layout) -> str:
    """The drawing: lanes with their titles, lines, and a box per claim."""
    numbers = {name: k for k, name in enumerate(graph.uses)}
    wide = places.width + TITLES
    box = f"{-MARGIN} {-MARGIN} {wide + 2 * MARGIN:g} {places.height + 2 * MARGIN:g}"
    lanes = "".join(_lane(a, top, high, wide) for a, (top, high) in places.lanes.items())
    lines = "".join(
        f'<path d="{_line(places.at[other], places.at[name])}" '
        f'data-u="{numbers[name]}" data-d="{numbers[other]}"/>'
        for name, below in graph.uses.items()
        for other in below
    )
    boxes = "".join(_box(name, k, places.at[name]) for name, k in numbers.items())
    return (
        f'<svg viewBox="{box}" role="img" aria-label="Each claim is a box; a line leads from a '
        f'claim to a claim further right that uses it.">{lanes}'
        f'<g class="lines">{lines}</g><g class="boxes">{boxes}</g></svg>'
    )


def _lane(area: str, top: float, high: float, width: float) -> str:
    title = escape(chapter(area).partition(":")[0])
    middle = top + high / 2 + 12
    return (
        f'<g class="lane"><rect x="-14" y="{top - 12:g}" width="{width + 28:g}" '
        f'height="{high + 24:g}" rx="6"/><text x="{width:g}" y="{middle:g}">{title}</text></g>'
    )


def _line(lower: tuple[float, float], upper: tuple[float, float]) -> str:
    x, y = lower[0] + WIDTH, lower[1] + HEIGHT / 2
    to, end = upper[0], upper[1] + HEIGHT / 2
    bend = max(24.0, min(90.0, (to - x) / 2))
    return f"M{x:g} {y:g}C{x + bend:g} {y:g} {to - bend:g} {end:g} {to:g} {end:g}"


def _box(name: str, k: int, at: tuple[float, float]) -> str:
    stem = name.split("/")[1]
    shown = stem if len(stem) <= LONGEST else stem[: LONGEST - 1] + "…"
    return (
        f'<g data-k="{k}" transform="translate({at[0]:g} {at[1]:g})"><title>'
        f'{escape(find(name).title)}</title><rect width="{WIDTH}" height="{HEIGHT}" rx="4"/>'
        f'<text x="8" y="15">{escape(shown)}</text></g>'
    )
