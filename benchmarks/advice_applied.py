"""Advice applied: the first piece of advice on each real bug, followed alone, and what it gains.

python benchmarks/advice_applied.py [--json PATH] [--only NAME] [--half first]

The buggy network is examined; what its first cause advises is done to it by code, as a reader
would do it, and nothing else is changed. Then both are trained as planned. The advice improves
the training if at least half of the way from the buggy to the fixed network's score is made.
Advice that sends the reader to look at something cannot be followed by a machine; it is listed
and not counted.
"""

import argparse
import json
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

from following import Unclear, follow
from real_bugs import HALVES, Bug
from rich.console import Console
from rich.table import Table

from corollary import examine
from corollary.core import Finding, Severity
from corollary.errors import CorollaryError

HALF_WAY = 0.5


@dataclass(frozen=True)
class Followed:
    """One piece of advice, and the scores it led to."""

    bug: str
    title: str
    advice: str
    done: str  # how it was followed, or why it was not
    buggy: float
    after: float | None
    fixed: float

    @property
    def improves(self) -> bool:
        """Whether half of the way to the fixed network is made."""
        if self.after is None:
            return False
        low = max(self.buggy, -10.0)  # a run that diverged has no finite score
        return self.after - low >= HALF_WAY * (self.fixed - low) > 0


def first_cause(bug: Bug) -> Finding | None:
    """The cause that the examination of the buggy network puts first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            done = examine(**bug.buggy(), effort="quick", progress=False)
        except CorollaryError as why:
            return Finding("examine", str(why), Severity.HIGH, advice=str(why))
    loud = [c.finding for c in done.causes() if c.finding.severity.rank >= Severity.MEDIUM.rank]
    return loud[0] if loud else None


def followed(bug: Bug) -> Followed | None:
    """Examine, follow, train."""
    found = first_cause(bug)
    if found is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        buggy, fixed = bug.trained_score(bug.buggy()), bug.trained_score(bug.fixed())
        try:
            done, arguments = follow(found, bug)
            after: float | None = bug.trained_score(arguments)
        except Unclear as why:
            done, after = str(why), None
    return Followed(bug.name, found.title, found.advice, done, buggy, after, fixed)


def shown(console: Console, rows: list[Followed]) -> None:
    """Print the table and its sum."""
    table = Table("bug", "first cause", "done", "buggy", "after", "fixed", "improves")
    for row in rows:
        after = "" if row.after is None else f"{row.after:.2f}"
        said = "" if row.after is None else "yes" if row.improves else "NO"
        table.add_row(
            row.bug, row.title, row.done, f"{row.buggy:.2f}", after, f"{row.fixed:.2f}", said
        )
    console.print(table)
    tried = [row for row in rows if row.after is not None]
    good = sum(row.improves for row in tried)
    console.print(f"{good} of {len(tried)} pieces of advice improve the training")


def main() -> None:
    """Print the table, and write it as JSON if asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--half", choices=list(HALVES))
    asked = arguments.parse_args()
    bugs = [bug for half in ([asked.half] if asked.half else HALVES) for bug in HALVES[half]]
    rows = [row for bug in bugs if asked.only in bug.name and (row := followed(bug)) is not None]
    shown(Console(width=170), rows)
    if asked.json:
        asked.json.parent.mkdir(parents=True, exist_ok=True)
        plain = [asdict(row) | {"improves": row.improves} for row in rows]
        asked.json.write_text(json.dumps(plain, indent=1))


if __name__ == "__main__":
    main()
