"""Planted faults: how many are found at the right place, and how often a healthy twin is blamed.

python benchmarks/faults.py [--json PATH]
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from joblib import Parallel, cpu_count, delayed
from planted import FAULTS, Outcome, tried
from rich.console import Console
from rich.table import Table


def outcomes() -> list[Outcome]:
    """Examine every fault and its twin, on all cores."""
    return Parallel(cpu_count())(delayed(tried)(fault) for fault in FAULTS)


def main() -> None:
    """Print the table, and write it as JSON if asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", type=Path)
    path = arguments.parse_args().json
    found = outcomes()
    table = Table("fault", "exam", "found", "what was said", "alarms on the twin")
    for o in found:
        table.add_row(
            o.fault.name, o.fault.exam, "yes" if o.found else "NO", o.said, "\n".join(o.alarms)
        )
    console = Console()
    console.print(table)
    right, blamed = sum(o.found for o in found), sum(bool(o.alarms) for o in found)
    console.print(f"{right} of {len(found)} faults found, {blamed} of {len(found)} twins blamed")
    if path:
        rows = [asdict(o) | {"fault": o.fault.name, "exam": o.fault.exam} for o in found]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows, indent=1, default=str))


if __name__ == "__main__":
    main()
