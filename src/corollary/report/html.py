"""One self-contained HTML page of a run, and snippets of results for notebooks."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from corollary.core.result import Result
from corollary.core.verdict import Verdict
from corollary.registry import Entry, chapter
from corollary.report.formulas import renderer
from corollary.report.latex import scripts
from corollary.report.numerals import numeral
from corollary.report.packing import LIMIT, packed
from corollary.report.page import (
    asset,
    drawn,
    policy,
    script,
    template,
    typeface,
    write_page,
)
from corollary.report.signs import VERDICT_SIGNS
from corollary.report.statement import inline_html, statement_html
from corollary.report.symbols import in_symbols
from corollary.report.typed_math import erratum_html, typed_html
from corollary.report.view import (
    ORDER,
    anchors,
    attained,
    command,
    common_name,
    entry_of,
    headline,
    parameters,
    reason,
    rows,
    without,
)

if TYPE_CHECKING:
    from corollary.run.results import Run

_DRAWING = re.compile(r"(?<=<figure>)<svg.*?</svg>(?=<figcaption|</figure>)", re.DOTALL)
_FORMULA = re.compile(r'data-tex="([^"]*)"')
_READABLE = re.compile(r'(<span class="math[^"]*" data-tex="[^"]*">)[^<]*(?=</span>)')
MANY = 40  # results; beyond this, sections of what holds start closed


def report_html(run: "Run") -> str:
    """The whole page as text."""
    names = anchors([r.name for r in run.results])
    found = [(a, r, entry_of(r)) for a, r in zip(names, run.results, strict=True)]
    sections = [_section(a, r, entry) | {"open": _opens(r, len(found))} for a, r, entry in found]
    for section in sections:
        section |= {"body": Markup(template("body.html.jinja").render(s=section)), "pack": None}
    katex = renderer(tex for s in sections for tex in _FORMULA.findall(s["body"]))
    facts = dict(
        headline=headline(run.counts()),
        counts=[(v, run.counts()[v]) for v in (ORDER[-1], *ORDER[:-1]) if run.counts()[v]],
        stated=sum(len(r.hypotheses) for r in run.results),
        needed=sum(len(r.counterexamples) for r in run.results),
        attention=_attention(sections),
        areas=_areas(sections),
        sections=sections,
        environment=run.environment | {"seed": run.seed},
        policy=policy(s for s in (katex.script, script()) if s),
        style=Markup(typeface() + asset("report.css") + katex.style),
        katex=Markup(katex.script),
        script=Markup(script()),
    )
    page = template("page.html.jinja").render(facts, pack="", katex_pack="")
    if len(page) <= LIMIT:
        return page
    packs = {
        "pack": _pack(sections, rendered=bool(katex.script)),
        "katex": "",
        "katex_pack": packed([katex.script]),
    }
    return template("page.html.jinja").render(facts | packs)


def _pack(sections: list[dict[str, Any]], *, rendered: bool) -> str:
    """Number the sections of claims that hold; pack their bodies in one block, then the drawings.

    Drawings compress better next to each other. If formulas are ``rendered``, their readable text
    is left out, because a page that needs a script for its sections also has one for its formulas.
    """
    chosen = [s for s in sections if not s["open"]]
    bodies, drawings = [], list[str]()

    def placed(match: re.Match[str]) -> str:
        drawings.append(match.group(0))
        return f"<!--{len(drawings) - 1}-->"

    for k, section in enumerate(chosen):
        section["pack"] = k
        body = _READABLE.sub(r"\1", str(section["body"])) if rendered else str(section["body"])
        bodies.append(_DRAWING.sub(placed, body))
    return packed([*bodies, *drawings])


def write_report(run: "Run", path: str | os.PathLike[str]) -> Path:
    """Write the page; what was at ``path`` is replaced only once the new page is complete.

    Raises:
        ResultsFileError: if the page cannot be written there.
    """
    return write_page(report_html(run), path)


def result_html(result: Result) -> str:
    """One result for a notebook cell: without scripts, for light and dark themes."""
    section = _section("", result, entry_of(result))
    return template("result.html.jinja").render(s=section, style=Markup(asset("result.css")))


def run_html(run: "Run") -> str:
    """A run for a notebook cell: the counts, and one line per result."""
    return template("run.html.jinja").render(
        headline=headline(run.counts()),
        results=[_section("", r, None) for r in run.results],
        style=Markup(asset("result.css")),
    )


def _section(anchor: str, result: Result, entry: Entry | None) -> dict[str, Any]:
    shown, left = rows(result)
    name = common_name(shown)
    return {
        "anchor": anchor,
        "area": result.name.partition("/")[0],
        "result": result,
        "title": scripts(result.title),
        "sign": VERDICT_SIGNS[result.verdict],
        "reason": in_symbols(reason(result)),
        "hypotheses": [(h, Markup(typed_html(h.statement))) for h in result.hypotheses],
        "rows": shown,
        "labels": [row.label.removeprefix(f"{name} = ") for row in shown],
        "label": name,
        "left": left,
        "ratio": None if result.ratio is None else numeral(result.ratio),
        "attained": attained(result, entry),
        "without": [Markup(typed_html(without(c))) for c in result.counterexamples],
        "parameters": parameters(result, entry),
        "command": command(result, entry),
        "figures": [drawn(f) for f in result.figures],
        "entry": entry,
        "statement": Markup(statement_html(entry.statement)) if entry else "",
        "source": Markup(inline_html(entry.source)) if entry else "",
        "erratum": tuple(map(Markup, erratum_html(entry.erratum)))
        if entry and entry.erratum
        else None,
    }


def _opens(result: Result, total: int) -> bool:
    return total <= MANY or result.verdict is not Verdict.HOLDS


def _attention(sections: list[dict[str, Any]]) -> list[tuple[Verdict, list[dict[str, Any]]]]:
    groups = [(v, [s for s in sections if s["result"].verdict is v]) for v in ORDER]
    return [(v, found) for v, found in groups if found and v is not Verdict.HOLDS]


def _areas(sections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The areas in order: their subject, their sections, and how many claims hold."""
    areas = []
    for name in dict.fromkeys(s["area"] for s in sections):
        found = [s for s in sections if s["area"] == name]
        held = sum(s["result"].verdict is Verdict.HOLDS for s in found)
        worst = min((s["result"].verdict for s in found), key=ORDER.index)
        areas.append(
            {
                "name": name,
                "about": _about(found),
                "sections": found,
                "held": held,
                "worst": worst,
            }
        )
    return areas


def _about(found: list[dict[str, Any]]) -> str:
    """What an area is about, if this catalogue has it."""
    entry = next((s["entry"] for s in found if s["entry"]), None)
    return chapter(entry.area).split(": ", 1)[-1] if entry else ""
