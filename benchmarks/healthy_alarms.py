"""Healthy set-ups through ``examine``: which of them are blamed, and for what.

python benchmarks/healthy_alarms.py [--json PATH] [--only NAME] [--effort quick] [--train]

With ``--train`` each is first trained as it says, and its score on held-out data compared with
what it has to reach. Every medium or high finding is printed with its words; each is to be read.
"""

import argparse
import json
import time
from pathlib import Path

from bugs_found import alarms
from healthy import SETUPS, SetUp
from rich.console import Console
from rich.table import Table


def examined(setup: SetUp, effort: str) -> dict:
    """Loud findings on one set-up."""
    began = time.process_time()
    found = alarms(setup.arguments(), effort)
    return {
        "name": setup.name,
        "alarms": [f"{f.severity} {f.exam}: {f.title}. {f.meaning}" for f in found],
        "seconds": round(time.process_time() - began, 1),
    }


def main() -> None:
    """Examine, print, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--train", action="store_true")
    options = parser.parse_args()
    console, rows = Console(width=150), []
    table = Table("set-up", "score", "alarms", "CPU s")
    for setup in SETUPS:
        if options.only.lower() not in setup.name.lower():
            continue
        score = f"{setup.trained_score():.2f} of {setup.good:g}" if options.train else ""
        rows.append(row := examined(setup, options.effort))
        console.print(setup.name, score, *row["alarms"], sep="\n  ", highlight=False, markup=False)
        table.add_row(setup.name, score, "\n".join(row["alarms"]), f"{row['seconds']}")
    console.print(table)
    blamed = sum(bool(row["alarms"]) for row in rows)
    spent = sum(row["seconds"] for row in rows)
    console.print(f"{blamed} of {len(rows)} healthy set-ups blamed, {spent:.0f} CPU seconds")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
