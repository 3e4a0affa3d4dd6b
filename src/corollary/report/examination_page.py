"""One self-contained HTML page of an examination: a one-minute summary, then the details."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from corollary.core.finding import Finding, Severity, Status
from corollary.errors import UnknownNameError
from corollary.registry import find
from corollary.report.comparison import changes, named, place
from corollary.report.page import (
    asset,
    drawn,
    policy,
    script,
    template,
    typeface,
    write_page,
)
from corollary.report.signs import SEVERITY_SIGNS

if TYPE_CHECKING:
    from corollary.examine.causes import Cause
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
    """Write the page, including the changes since ``before``."""
    return write_page(examination_page(done, before), path)


def examination_page(done: "Examination", before: "Examination | None" = None) -> str:
    """The whole page as text."""
    return template("examination.html.jinja").render(
        facts(done),
        changes=changes(before, done) if before else None,
        policy=policy([script()]),
        style=Markup(typeface() + asset("report.css") + asset("examination.css")),
        script=Markup(script()),
    )


def examination_html(done: "Examination") -> str:
    """An examination for a notebook cell: answers, advice, and what was found."""
    style = Markup(
        asset("result.css") + PALETTE + ".corollary-result {" + asset("examination.css") + "}"
    )
    return template("examination_cell.html.jinja").render(facts(done, above=False), style=style)


def facts(done: "Examination", *, above: bool = True) -> dict[str, Any]:
    """What the templates show of an examination; are causes explained above the answers?"""
    loud = _loud(done) if above else []
    return {
        "headline": headline(done),
        "subject": done.subject,
        "environment": done.environment,
        "budget": done.budget,
        "answers": [_answer(answer, loud) for answer in done.answers()],
        "advice": [(f.advice, named(f), f.number) for f in done.advice()],
        "causes": [_cause(cause) for cause in done.causes()],
        "examined": examined(done),
        "layers": layers(done),
        "training": _training(done),
        "signs": SEVERITY_SIGNS,
    }


def headline(done: "Examination") -> str:
    """The examination in a few words."""
    loud, name = _loud(done), done.subject["module"]
    if loud:
        return f"{name}: {len(loud)} thing{'s' if len(loud) > 1 else ''} to fix"
    silent = sum(f.status is not Status.DONE for f in done.findings)
    if 2 * silent > len(done.findings):
        return f"{name}: most questions have no answer"
    return f"{name}: nothing wrong found"


def _loud(done: "Examination") -> "list[Cause]":
    """The causes to fix: those of medium and high severity."""
    return [c for c in done.causes() if c.finding.severity in (Severity.MEDIUM, Severity.HIGH)]


def _training(done: "Examination") -> dict[str, Any] | None:
    """The figure of the short training, if there was one."""
    runs = (f for f in done.findings if f.exam == "trainability/trial_run" and f.figures)
    found = next(runs, None)
    return drawn(found.figures[0]) if found else None


def examined(done: "Examination") -> str:
    """What was examined, in a line: size, data, optimizer."""
    facts = done.subject
    parts = [f"{facts['parameters']:,} parameters"]
    if "samples" in facts:
        shapes = ", ".join(f"{name} {shape}" for name, shape in facts.get("data", {}).items())
        parts.append(f"{facts['samples']:,} samples ({shapes})")
    if facts.get("optimizer"):
        assumed = f" ({facts['assumed']} is assumed)" if facts.get("assumed") else ""
        parts.append(f"{facts['optimizer']}{assumed}")
    if facts.get("batch_size"):
        parts.append(f"batches of {facts['batch_size']}")
    return "; ".join(parts)


def layers(done: "Examination") -> list[dict[str, Any]]:
    """The layers with weights in order, each with its worst finding, signal and gradient."""
    passage = next((f for f in done.findings if f.details.get("signal")), None)
    signal = passage.details["signal"] if passage else {}
    gradient = passage.details.get("gradient", {}) if passage else {}
    loud = [f for f in done.findings if f.severity is not Severity.NONE and f.where]
    strip = []
    for name in signal:
        here = [f for f in loud if f.where == name or f"'{name}'" in f.where]
        here += [f for f in loud if f.where.startswith(f"{name}.")]
        worst = max(here, key=lambda f: f.severity.rank, default=None)
        sizes = [f"signal {signal[name]:.2g}"]
        if name in gradient:
            sizes.append(f"gradient {gradient[name]:.2g}")
        told = "; ".join([f"root mean square: {', '.join(sizes)}", *(f.title for f in here)])
        severity = worst.severity.value if worst else "none"
        strip.append({"name": name, "severity": severity, "sizes": sizes, "told": told})
    return strip


def _cause(cause: "Cause") -> dict[str, Any]:
    finding = cause.finding
    return {
        "told": finding,
        "name": named(finding),
        "sign": SEVERITY_SIGNS[finding.severity],
        "symptoms": [named(f) for f in cause.symptoms],
    }


def _answer(answer: "Answer", loud: "list[Cause]") -> dict[str, Any]:
    told = [f for f in answer.findings if f.status is Status.DONE]
    told.sort(key=lambda f: -f.severity.rank)
    return {
        "name": answer.name,
        "question": answer.question,
        "verdict": answer.verdict,
        "severity": answer.colour,
        "findings": [_finding(f, loud) for f in told],
        "silent": _silent(answer),
        "unanswered": sum(f.status is not Status.DONE for f in answer.findings),
    }


def _silent(answer: "Answer") -> list[tuple[str, str, str]]:
    """Exams without an answer: titles, status and reason, grouped by reason."""
    titles: dict[tuple[str, str], list[str]] = {}
    for f in answer.findings:
        if f.status is not Status.DONE:
            titles.setdefault((f.status.value, f.meaning), []).append(f.title)
    return [("; ".join(names), *why) for why, names in titles.items()]


def _finding(finding: Finding, loud: "list[Cause]") -> dict[str, Any]:
    causes = [k for k, cause in enumerate(loud, start=1) if cause.finding is finding]
    return {
        "cause": causes[0] if causes else None,  # its number, if the summary explains it
        "told": finding,
        "place": place(finding.where),
        "sign": SEVERITY_SIGNS[finding.severity],
        "figures": [drawn(figure) for figure in finding.figures],
        "claims": [claim_title(name) for name in finding.claims],
    }


def claim_title(name: str) -> tuple[str, str]:
    """A claim's title and the command that shows it."""
    try:
        entry = find(name)
    except UnknownNameError:
        return name, f"corollary show {name}"
    return entry.title, f"corollary show {entry.stem}"
