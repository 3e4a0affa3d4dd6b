"""A lecture as slides: one HTML file that opens offline."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from corollary.courses.catalogue import Lecture, Section, Step, find_course
from corollary.report.formulas import renderer
from corollary.report.latex import scripts
from corollary.report.page import asset, policy, template, typeface, write_page
from corollary.report.statement import inline_html, statement_html
from corollary.report.typed_math import erratum_html, typed_html

if TYPE_CHECKING:
    from corollary.run.lecture import CarriedOut

_TEX = re.compile(r'data-tex="([^"]*)"|<span class="tex [^"]*">(.*?)</span>', re.S)


class Shown(NamedTuple):
    """The outcome of a claim, as a slide shows it."""

    sentence: str = ""
    verdict: str = ""
    figures: tuple[str, ...] = ()  # inline SVG
    proof: str = ""  # HTML


def shown(done: "CarriedOut") -> dict[str, Shown]:
    """The outcomes of the claims of a lecture, for its slides."""
    from corollary.report.proof import proof_html
    from corollary.report.svg import figure_svg
    from corollary.report.view import reason

    found = {name: Shown(proof=proof_html(made)) for name, made in done.proofs.items()}
    for name, result in done.results.items():
        figures = tuple(map(figure_svg, result.figures))
        proof = found.get(name, Shown()).proof
        found[name] = Shown(reason(result), str(result.verdict), figures, proof)
    return found


def write_slides(
    lecture: Lecture, path: str | os.PathLike[str], found: Mapping[str, Shown]
) -> tuple[Path, int]:
    """Write the slides, and return how many there are.

    Raises:
        ResultsFileError: if the file cannot be written there.
    """
    page = slides_html(lecture, found)
    return write_page(page, path), page.count('<section class="slide')


def slides_html(lecture: Lecture, found: Mapping[str, Shown] | None = None) -> str:
    """The whole file as text.

    Args:
        lecture: The lecture to show.
        found: The outcomes of its claims; without them the slides have statements and no figures.
    """
    made = list(slides(lecture, found or {}))
    body = template("slides_body.html.jinja").render(slides=made)
    katex = renderer(a or b for a, b in _TEX.findall(body))
    code = asset("slides.js")
    return template("slides.html.jinja").render(
        title=lecture.title,
        body=Markup(body),
        count=len(made),
        policy=policy(s for s in (katex.script, code) if s),
        style=Markup(
            typeface()
            + asset("report.css")
            + asset("proof.css")
            + asset("slides.css")
            + katex.style
        ),
        katex=Markup(katex.script),
        script=Markup(code),
    )


def slides(lecture: Lecture, found: Mapping[str, Shown]) -> Iterator[dict[str, Any]]:
    """One slide after the other, as the template takes them."""
    yield {
        "kind": "title",
        "title": lecture.title,
        "lecture": lecture,
        "of": _course_title(lecture),
    }
    for section in lecture.sections:
        yield {"kind": "part", "title": section.title, "section": section}
        for step in section.steps:
            yield from _of_step(step, section, found.get(step.name, Shown()))
    yield {"kind": "end", "title": "What to do next", "lecture": lecture}


def _course_title(lecture: Lecture) -> str:
    return find_course(lecture.course).title


def _of_step(step: Step, section: Section, found: Shown) -> Iterator[dict[str, Any]]:
    if step.claim is None:
        yield _of_exercise(step)
        return
    entry = step.claim
    tag, erratum = erratum_html(entry.erratum) if entry.erratum else ("", "")
    slide = {"title": scripts(entry.title), "name": entry.stem, "section": section.title}
    yield slide | {
        "kind": "claim",
        "statement": Markup(statement_html(entry.statement)),
        "hypotheses": [Markup(typed_html(h)) for h in entry.hypotheses],
        "figures": [Markup(svg) for svg in found.figures[:1]],
        "sentence": found.sentence,
        "verdict": found.verdict,
        "source": Markup(inline_html(entry.source)),
        "command": step.command,
    }
    if entry.proof:
        yield slide | {
            "kind": "proof",
            "idea": Markup(inline_html(entry.proof.title + ".")),
            "proof": Markup(found.proof),
            "command": f"corollary prove {entry.stem}",
        }
    if erratum:
        yield slide | {"kind": "erratum", "tag": tag, "erratum": Markup(erratum)}


def _of_exercise(step: Step) -> dict[str, Any]:
    assert step.exercise is not None, "a step is a claim or an exercise"
    parts = [
        {"letter": p.letter, "signature": p.signature, "task": Markup(inline_html(p.task))}
        for p in step.exercise.parts
    ]
    statement = Markup(statement_html(step.exercise.entry.statement))
    facts = {"kind": "exercise", "title": f"Exercise {step.exercise.number}: {step.title}"}
    return facts | {"statement": statement, "parts": parts, "command": step.command}
