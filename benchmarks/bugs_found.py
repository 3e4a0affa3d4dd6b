"""Real bugs: how many are told from their fixed twins, and of how many the cause is named.

python benchmarks/bugs_found.py [--json PATH] [--only NAME] [--half first|second|third|fourth]

Detected: the buggy network has a medium or high finding that the fixed one has not. Cause: such a
finding has the words of the main cause. First: so has what is put first of all causes. Alarms:
medium or high findings on the fixed network, which its training check has shown to train; each is
to be read, for some may be true.
"""

import argparse
import json
import time
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

from real_bugs import HALVES, Bug
from rich.console import Console
from rich.table import Table

from corollary import examine
from corollary.core import Finding, Severity
from corollary.errors import CorollaryError

ALARMING = Severity.MEDIUM, Severity.HIGH


@dataclass(frozen=True)
class Outcome:
    """What was said of one bug and of its fixed twin."""

    name: str
    kind: str
    detected: bool
    cause_named: bool
    first: bool  # the cause that is named first is the main one
    said: tuple[str, ...]  # alarms on the buggy network that its twin lacks
    alarms: tuple[str, ...]  # on the fixed network
    seconds: float  # CPU time of both


def alarms(arguments: dict, effort: str = "quick") -> list[Finding]:
    """Medium and high findings, causes first; of what cannot be examined, the reason as one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            done = examine(**arguments, effort=effort, progress=False)
        except CorollaryError as why:
            return [Finding("examine", str(why), Severity.HIGH)]
    causes = [cause.finding for cause in done.causes()]
    later = [f for f in done.findings if not any(f is cause for cause in causes)]
    return [f for f in (*causes, *later) if f.severity in ALARMING]


def text(f: Finding) -> str:
    return f"{f.title} {f.meaning} {f.advice}"


def named(cause: tuple[str, ...], said: str) -> bool:
    """Whether each word of the cause, or one of its alternatives, is in what was said."""
    return all(any(w in said.lower() for w in words.split("|")) for words in cause)


def short(f: Finding) -> str:
    return f"{f.severity} {f.exam}: {f.title}"


def tried(bug: Bug) -> Outcome:
    """Examine both twins."""
    began = time.process_time()
    buggy, fixed = alarms(bug.buggy()), alarms(bug.fixed())
    spent = time.process_time() - began
    both = {(f.exam, f.title) for f in fixed}
    new = [f for f in buggy if (f.exam, f.title) not in both]
    right = [named(bug.cause, text(f)) for f in new]
    said, blamed = tuple(map(short, new)), tuple(map(short, fixed))
    first = bool(buggy) and named(bug.cause, text(buggy[0]))
    return Outcome(bug.name, bug.kind, bool(new), any(right), first, said, blamed, round(spent, 1))


def shown(console: Console, half: str, outcomes: list[Outcome]) -> None:
    """Print one half as a table with its sums."""
    heads = ("bug", "kind", "detected", "cause", "first", "said of the bug", "alarms on the twin")
    table = Table(*heads, "s")
    for o in outcomes:
        table.add_row(
            o.name,
            o.kind,
            "yes" if o.detected else "NO",
            "yes" if o.cause_named else "NO",
            "yes" if o.first else "NO",
            "\n".join(o.said),
            "\n".join(o.alarms),
            f"{o.seconds:.1f}",
        )
    console.print(table)
    n = len(outcomes)
    console.print(
        f"{half} half: {sum(o.detected for o in outcomes)} of {n} detected, main cause of "
        f"{sum(o.cause_named for o in outcomes)} (first of all causes in "
        f"{sum(o.first for o in outcomes)}), alarms on {sum(bool(o.alarms) for o in outcomes)}"
        f" fixed twins, {sum(o.seconds for o in outcomes):.0f} CPU seconds"
    )


def main() -> None:
    """Print the tables, and write them as JSON if asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--half", choices=list(HALVES))
    asked = arguments.parse_args()
    rows: dict[str, list[Outcome]] = {}
    for half in [asked.half] if asked.half else HALVES:
        rows[half] = [tried(bug) for bug in HALVES[half] if asked.only in bug.name]
        shown(Console(width=170), half, rows[half])
    if asked.json:
        asked.json.parent.mkdir(parents=True, exist_ok=True)
        plain = {half: [asdict(o) for o in outcomes] for half, outcomes in rows.items()}
        asked.json.write_text(json.dumps(plain, indent=1))


if __name__ == "__main__":
    main()
