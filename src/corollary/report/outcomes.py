"""What each exam of an examination means to a test runner: passed, failed or skipped."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from corollary.core.finding import Finding, Severity, Status
from corollary.report.comparison import named
from corollary.report.summary import cause_lines

if TYPE_CHECKING:
    from corollary.examine.causes import Cause
    from corollary.examine.examination import Examination


@dataclass(frozen=True)
class Outcome:
    """Of one exam, with the reason in one line and the whole text."""

    exam: str
    state: Literal["passed", "failed", "skipped"]
    reason: str = ""
    text: str = ""
    where: str = ""  # the layer or parameter of what failed


def outcomes(done: "Examination", fail_on: Severity = Severity.HIGH) -> tuple[Outcome, ...]:
    """One outcome per exam, in the order the exams were run.

    Example:
        >>> from corollary.examine.examination import Examination
        >>> dead = Finding("trainability/units", "Dead units", Severity.HIGH, where="2")
        >>> [(o.state, o.reason) for o in outcomes(Examination({}, {}, 1.0, (dead,)))]
        [('failed', 'Dead units in layer 2 (high)')]
    """
    causes, exams = done.causes(), dict.fromkeys(f.exam for f in done.findings)
    return tuple(
        _outcome(exam, [f for f in done.findings if f.exam == exam], causes, fail_on)
        for exam in exams
    )


def causes_from(done: "Examination", fail_on: Severity) -> list["Cause"]:
    """Causes that are themselves as severe as ``fail_on``, or have a symptom that is."""
    return [c for c in done.causes() if worst_of(c).rank >= fail_on.rank]


def worst_of(cause: "Cause") -> Severity:
    """The severity of a cause, or of the worst that follows from it."""
    return max((f.severity for f in (cause.finding, *cause.symptoms)), key=lambda s: s.rank)


def _outcome(
    exam: str, found: list[Finding], causes: tuple["Cause", ...], fail_on: Severity
) -> Outcome:
    loud = [f for f in found if f.severity.rank >= fail_on.rank]
    if loud:
        worst = max(loud, key=lambda f: f.severity.rank)
        text = "\n".join(line for f in loud for line in _told(f, causes))
        return Outcome(exam, "failed", f"{named(worst)} ({worst.severity})", text, worst.where)
    if not any(f.status is Status.DONE for f in found):
        return Outcome(exam, "skipped", f"{found[0].status}: {found[0].meaning}")
    return Outcome(exam, "passed")


def _told(finding: Finding, causes: tuple["Cause", ...]) -> Iterator[str]:
    """A cause in full; a symptom in one line, with the cause it follows from."""
    for k, cause in enumerate(causes, start=1):
        if cause.finding is finding:
            yield from cause_lines(k, cause)
        elif finding in cause.symptoms:
            yield f"{named(finding)}. {finding.meaning} Cause: {named(cause.finding)}."
