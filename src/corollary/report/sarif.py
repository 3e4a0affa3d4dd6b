"""An examination as SARIF 2.1.0, which code hosts show beside the lines it speaks of.

Each cause is one result, at the line where its layer is made; what follows from it is part of its
message. Exams without an answer are notifications of the run.

:source: OASIS (2023), "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".
"""

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from corollary.core.finding import Finding, Severity, Status
from corollary.errors import UnknownNameError, printable
from corollary.examine.questions import CUT_SHORT, asked
from corollary.registry import find
from corollary.report.comparison import named
from corollary.report.outcomes import worst_of

if TYPE_CHECKING:
    from corollary.examine.causes import Cause
    from corollary.examine.examination import Examination

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
LEVELS = {Severity.LOW: "note", Severity.MEDIUM: "warning", Severity.HIGH: "error"}


def sarif_json(done: "Examination", target: str) -> str:
    """The file as text.

    Args:
        done: The examination.
        target: What was examined; the place of what has none of its own.
    """
    return json.dumps(sarif_log(done, target), indent=1, ensure_ascii=False) + "\n"


def sarif_log(done: "Examination", target: str) -> dict[str, Any]:
    """The file as plain data."""
    causes = done.causes()
    ids = list(dict.fromkeys(cause.finding.exam for cause in causes))
    driver = {
        "name": "corollary",
        "version": done.environment.get("corollary", ""),
        "rules": [_rule(name) for name in ids],
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"corollary/{printable(target)}/"},
        "invocations": [_invocation(done)],
        "columnKind": "unicodeCodePoints",
        "results": [_result(cause, done, target, ids) for cause in causes],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str) -> dict[str, Any]:
    """What an exam asks, from its head in the catalogue."""
    title, question = name, asked(name.split("/")[0])
    try:
        title = find(name).title
    except UnknownNameError:  # of another version
        pass
    return {
        "id": name,
        "name": "".join(part.title() for part in name.split("/")[1].split("_")),
        "shortDescription": {"text": title},
        "fullDescription": {"text": f"{question} {title}."},
        "help": {"text": f"corollary show {name} explains what is measured."},
        "properties": {"tags": [name.split("/")[0]]},
    }


def _invocation(done: "Examination") -> dict[str, Any]:
    unanswered = [f for f in done.findings if f.status is not Status.DONE]
    return {
        "executionSuccessful": all(f.exam != CUT_SHORT for f in unanswered),
        "toolExecutionNotifications": [
            {
                "level": "warning" if f.status is Status.FAILED else "note",
                "message": {"text": printable(f"{f.title}: {f.status}: {f.meaning}")},
                "descriptor": {"id": f.exam},
            }
            for f in unanswered
        ],
    }


def _result(cause: "Cause", done: "Examination", target: str, ids: list[str]) -> dict[str, Any]:
    f = cause.finding
    return {
        "ruleId": f.exam,
        "ruleIndex": ids.index(f.exam),
        "level": LEVELS[worst_of(cause)],
        "message": {"text": _message(cause)},
        "locations": [_location(f, done.subject.get("source", {}), target)],
        "partialFingerprints": {"corollary/v1": _fingerprint(f, target)},
        "properties": {
            "severity": f.severity.value,
            "evidence": f.evidence.value,
            "measured": f.number,
            "expected": f.expected,
            "claims": list(f.claims),
        },
    }


def _message(cause: "Cause") -> str:
    """Title and number, what it means, what to do, the change, and what follows from it."""
    f = cause.finding
    number = f": {f.number}" if f.number else ""
    expected = f" (expected {f.expected})" if f.number and f.expected else ""
    parts = [f"{named(f)}{number}{expected}.", f.meaning, f.advice, f.change]
    if cause.symptoms:
        parts.append(f"Symptoms: {'; '.join(named(s) for s in cause.symptoms)}.")
    return printable("\n".join(part for part in parts if part))


def _location(finding: Finding, source: dict[str, tuple[str, int]], target: str) -> dict[str, Any]:
    """The line of the layer, else that of the target, else the first of its file."""
    file, _, name = target.rpartition(":")
    path, line = source.get(finding.where) or source.get("") or (file or name, 1)
    place = {"artifactLocation": _artifact(Path(path)), "region": {"startLine": line}}
    logical = [{"fullyQualifiedName": printable(finding.where)}] if finding.where else []
    return {"physicalLocation": place} | ({"logicalLocations": logical} if logical else {})


def _artifact(path: Path) -> dict[str, str]:
    """The address of a file relative to its repository, else to the working folder."""
    whole = path.resolve()
    roots = [folder for folder in whole.parents if (folder / ".git").exists()]
    root = roots[0] if roots else Path.cwd()
    if whole.is_relative_to(root):
        return {"uri": quote(whole.relative_to(root).as_posix()), "uriBaseId": "%SRCROOT%"}
    return {"uri": whole.as_uri()}


def _fingerprint(finding: Finding, target: str) -> str:
    """The same for the same finding in a later run, whatever its numbers and lines are then."""
    key = "\n".join((target, finding.exam, finding.title, finding.where))
    return hashlib.sha256(key.encode()).hexdigest()[:32]
