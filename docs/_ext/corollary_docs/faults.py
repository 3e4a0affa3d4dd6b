"""The page of planted faults: which are found, and what is said of the healthy twins."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from corollary.registry import find
from corollary_docs import rst

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


class Row(NamedTuple):
    """One fault, as the page shows it."""

    fault: str
    exam: str
    found: str = "not run here"
    said: str = ""
    alarms: str = ""


def listed() -> list[Row]:
    """All faults, not examined."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        from planted import FAULTS
    finally:
        sys.path.remove(str(BENCHMARKS))
    return [Row(fault.name, fault.exam) for fault in FAULTS]


def examined() -> list[Row]:
    """What the command named on the page finds (a minute)."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "faults.json"
        command = [sys.executable, str(BENCHMARKS / "faults.py"), "--json", str(path)]
        subprocess.run(command, check=True, capture_output=True)
        found = json.loads(path.read_text(encoding="utf-8"))
    return [
        Row(o["fault"], o["exam"], "yes" if o["found"] else "no", o["said"], ", ".join(o["alarms"]))
        for o in found
    ]


def faults_page(table: Sequence[Row]) -> str:
    """What was planted, what was found, and how many twins were blamed."""
    found, blamed = sum(r.found == "yes" for r in table), sum(bool(r.alarms) for r in table)
    count = (
        f"{found} of {len(table)} faults were found, "
        f"{blamed} of {len(table)} healthy twins had an alarm"
    )
    if not any(r.found in ("yes", "no") for r in table):
        count = f"{len(table)} faults"
    intro = (
        "Each network has one known fault. Its twin is the same network without the fault. A\n"
        "fault counts as found if the right exam names it at the right place with the right\n"
        "advice. A twin has an alarm if the same question gives it any finding of medium or\n"
        "high severity.\n"
        "``python benchmarks/faults.py`` prints this table.\n"
    )
    cells = [
        [
            rst.escaped(r.fault),
            _exam(r.exam),
            r.found,
            rst.escaped(r.said),
            rst.escaped(r.alarms or "nothing") if r.said else "",
        ]
        for r in table
    ]
    head = [
        "fault",
        "exam that looks for it",
        "found",
        "findings on the network",
        "findings on the twin",
    ]
    return "\n".join(
        [
            rst.heading("Planted faults"),
            intro,
            f"**{count}.**\n",
            rst.table(head, cells, "26 24 10 26 14"),
        ]
    )


def _exam(name: str) -> str:
    """A link to the exam's section."""
    exam = find(name)
    target = f"exam-{exam.area}-{exam.stem.replace('_', '-')}"
    return f":ref:`{rst.escaped(exam.title)} <{target}>`"
