"""The HTML of the pages, from templates and the catalogue."""

import dataclasses
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from corollary.lab.controls import Control, controls, text
from corollary.lab.pictures import claim_figure
from corollary.lab.presets import PRESETS, preset_settings
from corollary.lab.render import page, templates
from corollary.lab.settings import PlaySettings
from corollary.lab.stories.catalogue import stories
from corollary.registry import Entry, chapter, entries, question
from corollary.report.latex import scripts
from corollary.report.statement import inline_html, statement_html
from corollary.report.typed_math import erratum_html, typed_html

MOVED = ("instant",)  # costs at which a claim runs again while a slider moves


@lru_cache(maxsize=1)
def enter_page() -> str:
    """The page that the printed address opens."""
    return page("enter")


@lru_cache(maxsize=1)
def claims_page() -> str:
    """Areas and their claims, behind a search field."""
    claims = [e for e in entries() if not e.is_exam]
    chapters = [
        {
            "name": area,
            "title": _chapter(area),
            "claims": [{"entry": e, "title": scripts(e.title)} for e in claims if e.area == area],
        }
        for area in dict.fromkeys(e.area for e in claims)
    ]
    return page("claims", chapters=chapters, total=len(claims))


def claim_page(entry: Entry, query: Mapping[str, str], *, runs: bool) -> str:
    """One claim, with its form filled in from the query; ``runs``: at once, not when asked to."""
    known = {option.name for option in entry.options}
    unknown = sorted(set(query) - known - {"seed", "theme"})
    tag, erratum = erratum_html(entry.erratum)
    return page(
        "claim",
        entry=entry,
        title=scripts(entry.title),
        chapter=_chapter(entry.area),
        statement=Markup(statement_html(entry.statement)),
        source=Markup(inline_html(entry.source)) if entry.source else "",
        tag=tag,
        erratum=Markup(erratum),
        hypotheses=[Markup(typed_html(h)) for h in entry.hypotheses],
        controls=controls(entry, query),
        seed=query.get("seed", "0"),
        unknown=unknown,
        moved=entry.cost in MOVED,
        stored=claim_figure(entry.name),
        told_in=_told_in(entry.name),
        runs=runs,
        call=_call(entry),
    )


def play_page(query: Mapping[str, str], *, runs: bool) -> str:
    """The playground, with its form filled in from the query; what does not fit is left out."""
    settings, left_out = PlaySettings(), []
    given = {k: v for k, v in query.items() if k != "theme"}
    for name, value in sorted(given.items(), key=lambda item: item[0] != "preset"):
        try:
            changed = preset_settings(value) if name == "preset" else vars_of(name, value)
            settings = dataclasses.replace(settings, **changed)
        except ValueError as error:
            left_out.append(str(error))
    fields: list[dict[str, Any]] = [
        {"name": f.name, "value": _typed(getattr(settings, f.name)), "default": text(f.default)}
        | {"whole": isinstance(f.default, int)}
        | {"choices": (), "log": False, "low": None, "high": None, "end": None, "most": 0}
        | {"among": {}}
        | dict(f.metadata)
        for f in dataclasses.fields(settings)
    ]
    return page(
        "play",
        fields={f["name"]: f for f in fields},
        presets=[(name, preset, _query(preset.settings)) for name, preset in PRESETS.items()],
        left_out=left_out,
        runs=runs,
    )


def _query(settings: Mapping[str, Any]) -> str:
    """Settings as the address of the page has them: what is not at its default, in order."""
    changed = PlaySettings(**settings).changed()
    return urlencode({name: _typed(value) for name, value in changed.items()})


def control_html(field: Control) -> str:
    """One field of a form."""
    macros: Any = templates().get_template("controls.html.jinja").module
    return str(macros.control(field))


def _typed(value: Any) -> str:
    """A setting as text; an empty list of layers is 0."""
    return "0" if value == () else text(value)


def vars_of(name: str, value: str) -> dict[str, Any]:
    """One setting of the playground, read from text."""
    return {name: getattr(PlaySettings.of({name: value}), name)}


def examine_page(query: Mapping[str, str]) -> str:
    """The form of an examination, filled in from the query; what the folder offers comes later."""
    exams = [e for e in entries() if e.is_exam]
    questions = [(area, question(area)) for area in dict.fromkeys(e.area for e in exams)]
    counts = Counter(e.area for e in exams)
    return page(
        "examine",
        questions=questions,
        counts=counts,
        query=query,
    )


def watch_page(query: Mapping[str, str]) -> str:
    """The form that names a record, filled in from the query."""
    return page("watch", query=query)


def error_page(status: int, sentence: str) -> str:
    """One sentence, and the way back."""
    return page("error", status=status, sentence=sentence)


def _told_in(claim: str) -> tuple[str, str] | None:
    """Name and title of the story that has this claim's figure."""
    found = ((name, story.title) for name, story in stories().items() if story.claim == claim)
    return next(found, None)


@lru_cache(maxsize=64)
def _chapter(area: str) -> str:
    """What the chapter is about, without its name before a colon."""
    about = chapter(area)
    name, colon, rest = about.partition(": ")
    return rest[:1].upper() + rest[1:] if colon and len(name) < 40 else about


@lru_cache(maxsize=1)
def _stems() -> dict[str, int]:
    counts: dict[str, int] = {}
    for entry in entries():
        counts[entry.stem] = counts.get(entry.stem, 0) + 1
    return counts


def _call(entry: Entry) -> str:
    """What one types: the file's own name where that is enough."""
    return entry.stem if _stems()[entry.stem] == 1 else entry.name
