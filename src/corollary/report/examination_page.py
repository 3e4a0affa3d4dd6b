"""One self-contained HTML page of an examination: a minute's reading first, then the details."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from corollary.core.finding import Finding, Severity, Status
from corollary.errors import UnknownNameError
from corollary.registry import find
from corollary.report.comparison import changes, named, place
from corollary.report.page import asset, drawn, policy, script, template, write_page
from corollary.report.signs import SEVERITY_SIGNS

if TYPE_CHECKING:
    from corollary.examine.examination import Answer, Examination

# A notebook has light or dark paper and rules of its own: colours that show on both, and all rules
# within our element.
PALETTE = (
    ".corollary-result { --none: #3f9a63; --low: #3d86c6; --medium: #b98a2f; --high: #d9534a; "
    "--line: #8886; --soft: #84888f; }"
)


def write_examination(
    done: "Examination", path: str | os.PathLike[str], before: "Examination | None" = None
) -> Path:
    """Write the page, with what changed since ``before``."""
    return write_page(examination_page(done, before), path)


def examination_page(done: "Examination", before: "Examination | None" = None) -> str:
    """The whole page as text."""
    return template("examination.html.jinja").render(
        facts(done),
        changes=changes(before, done) if before else None,
        policy=policy([script()]),
        style=Markup(asset("report.css") + asset("examination.css")),
        script=Markup(script()),
    )


def examination_html(done: "Examination") -> str:
    """An examination for a notebook cell: answers, advice, and what was found."""
    style = Markup(
        asset("result.css") + PALETTE + ".corollary-result {" + asset("examination.css") + "}"
    )
    return template("examination_cell.html.jinja").render(facts(done), style=style)


def facts(done: "Examination") -> dict[str, Any]:
    """What the templates show of an examination."""
    return {
        "headline": headline(done),
        "subject": done.subject,
        "environment": done.environment,
        "budget": done.budget,
        "answers": [_answer(answer) for answer in done.answers()],
        "advice": [(f.advice, named(f), f.number) for f in done.advice()],
        "signs": SEVERITY_SIGNS,
    }


def headline(done: "Examination") -> str:
    """The examination in a few words."""
    count = sum(f.severity in (Severity.MEDIUM, Severity.HIGH) for f in done.findings)
    if count == 0:
        return f"{done.subject['module']}: nothing wrong found"
    return f"{done.subject['module']}: {count} thing{'s' if count > 1 else ''} to fix"


def _answer(answer: "Answer") -> dict[str, Any]:
    told = [f for f in answer.findings if f.status is Status.DONE]
    told.sort(key=lambda f: -f.severity.rank)
    return {
        "name": answer.name,
        "question": answer.question,
        "verdict": answer.verdict,
        "severity": answer.severity.value,
        "findings": [_finding(f) for f in told],
        "silent": _silent(answer),
        "unanswered": sum(f.status is not Status.DONE for f in answer.findings),
    }


def _silent(answer: "Answer") -> list[tuple[str, str, str]]:
    """Exams without an answer: titles, status and reason, those with one reason together."""
    titles: dict[tuple[str, str], list[str]] = {}
    for f in answer.findings:
        if f.status is not Status.DONE:
            titles.setdefault((f.status.value, f.meaning), []).append(f.title)
    return [("; ".join(names), *why) for why, names in titles.items()]


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "told": finding,
        "place": place(finding.where),
        "sign": SEVERITY_SIGNS[finding.severity],
        "figures": [drawn(figure) for figure in finding.figures],
        "claims": [claim_title(name) for name in finding.claims],
    }


def claim_title(name: str) -> tuple[str, str]:
    """A claim's title and what to type to read it."""
    try:
        entry = find(name)
    except UnknownNameError:
        return name, f"corollary show {name}"
    return entry.title, f"corollary show {entry.stem}"
