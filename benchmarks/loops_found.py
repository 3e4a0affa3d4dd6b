"""Planted bugs of training loops: how many are found, when, and what is said of correct loops.

python benchmarks/loops_found.py [--json PATH] [--only NAME] [--seeds N]
                                 [--half first|second|third|fourth|fifth]

The second half and the parts after it need lightning, transformers and accelerate. From
the third part on, an event counts if the twin lacks it and its text has the words of the cause.
"""

import argparse
import json
import statistics
from dataclasses import asdict
from pathlib import Path

from joblib import Parallel, delayed
from loops import HALVES, Outcome, tried
from rich.console import Console
from rich.table import Table


def outcomes(half: str, only: str, seeds: int) -> list[Outcome]:
    """Run the loops of one half, and their twins."""
    bugs = [bug for bug in HALVES[half] if only in bug.name]
    runs = [(bug, seed) for bug in bugs for seed in range(seeds)]
    return Parallel(2)(delayed(tried)(bug, seed) for bug, seed in runs)


def shown(console: Console, half: str, found: list[Outcome]) -> None:
    """Print one half as a table with its sums."""
    table = Table("loop", "found", "step", "what was said", "alarms on the twin")
    for o in found:
        step = "" if o.step is None else str(o.step)
        said = "\n".join([*o.said, *(f"PROBLEM {p}" for p in o.problems)])
        table.add_row(o.name, "yes" if o.found else "NO", step, said, "\n".join(o.alarms))
    console.print(table)
    right = sum(o.found for o in found)
    steps = [o.step for o in found if o.step is not None]
    alarms = sum(len(o.alarms) for o in found)
    console.print(
        f"{half}: {right} of {len(found)} bugs found with the right cause, median step "
        f"{statistics.median(steps or [0]):.0f}; {alarms} alarms in {len(found)} correct runs"
    )


def main() -> None:
    """Print the tables, and write them as JSON if asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--seeds", type=int, default=1)
    arguments.add_argument("--half", choices=list(HALVES))
    asked = arguments.parse_args()
    chosen = [asked.half] if asked.half else HALVES
    halves = {half: outcomes(half, asked.only, asked.seeds) for half in chosen}
    for half, found in halves.items():
        shown(Console(width=150), half, found)
    if asked.json:
        asked.json.parent.mkdir(parents=True, exist_ok=True)
        rows = {half: [asdict(o) for o in found] for half, found in halves.items()}
        asked.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
