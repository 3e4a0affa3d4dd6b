"""An examination as plain text: what fits on a screen, the most severe first."""

import shutil
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from corollary.core.finding import Finding, Severity, Status
from corollary.report.comparison import named
from corollary.report.examination_page import examined, headline
from corollary.report.signs import SEVERITY_SIGNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corollary.examine.causes import Cause
    from corollary.examine.examination import Answer, Examination

WIDEST = 100  # columns, on a terminal that has them
MOST = 5  # findings of one question that are spelled out


def examination_text(done: "Examination", more: str = "see .findings and .save(path)") -> str:
    """Headline, what to fix, an answer to each question, and where there is more."""
    lines = [headline(done), _wrapped(examined(done), "  "), ""]
    loud = [c for c in done.causes() if c.finding.severity.rank >= Severity.MEDIUM.rank]
    for k, cause in enumerate(loud, start=1):
        lines += [*cause_lines(k, cause), ""]
    for answer in done.answers():
        above = [k for k, cause in enumerate(loud, start=1) if _explains(cause, answer)]
        see = f" (see {' and '.join(map(str, above))})" if above else ""
        lines += [f"{_sign(answer)} {answer.question} {answer.verdict}{see}", *_remarks(answer)]
    if not loud:
        lines += ["", advice_text(done.advice())]
    n = len(done.findings)
    lines += ["", f"{n} finding{'s' * (n != 1)} in total: {more}"]
    return "\n".join(lines)


def cause_lines(k: int, cause: "Cause") -> Iterator[str]:
    """A cause with its evidence, what to do, and its symptoms."""
    f = cause.finding
    number = f": {f.number}" if f.number else ""
    expected = f", expected {f.expected}" if f.number and f.expected else ""
    sign = SEVERITY_SIGNS[f.severity]
    title = f"{k}. {sign} {named(f)}{number}{expected} ({f.evidence.value})"
    yield _wrapped(title, "")
    for text in (f.meaning, f"-> {f.advice}" if f.advice else ""):
        if text:
            yield _wrapped(text, "     ")
    for line in f.change.splitlines():
        yield f"       {line}"
    if cause.symptoms:
        yield _wrapped(f"symptoms: {'; '.join(named(s) for s in cause.symptoms)}", "     ")


def _explains(cause: "Cause", answer: "Answer") -> bool:
    """Whether an alarm of this question is the cause or one of its symptoms."""
    mine = [f for f in answer.findings if f.severity.rank >= Severity.MEDIUM.rank]
    return any(f in mine for f in (cause.finding, *cause.symptoms))


def advice_text(findings: "Sequence[Finding]") -> str:
    """What to do, one numbered sentence per finding.

    Example:
        >>> advice_text([Finding("soundness/inputs", "Size", Severity.HIGH, advice="Scale them.")])
        '1. Scale them. (Size)'
        >>> advice_text([])
        'Nothing to do.'
    """
    told = (f"{k}. {f.advice} ({named(f)})" for k, f in enumerate(findings, start=1))
    return "\n".join(_wrapped(line, "") for line in told) or "Nothing to do."


def _sign(answer: "Answer") -> str:
    return SEVERITY_SIGNS[answer.severity] if answer.answered else "-"


def _remarks(answer: "Answer") -> Iterator[str]:
    low = [f for f in answer.findings if f.severity is Severity.LOW]
    for f in low[:MOST]:
        number = f": {f.number}" if f.number else ""
        yield _wrapped(f"{SEVERITY_SIGNS[f.severity]} {named(f)}{number}. {f.meaning}", "    ")
    if len(low) > MOST:
        yield f"    and {len(low) - MOST} more"
    for f in answer.findings:
        if f.status is Status.FAILED:
            yield _wrapped(f"- {f.title}: {f.meaning}", "    ")


def _wrapped(text: str, indent: str) -> str:
    width = min(WIDEST, shutil.get_terminal_size().columns)
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent + "  ")
