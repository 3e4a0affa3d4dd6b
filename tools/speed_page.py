"""Write what the benchmarks measured as one page: ``python tools/speed_page.py out/bench PAGE``.

Reads the JSON files of the races (``make bench`` writes them) and the table of planted faults, and
writes Markdown. Ratios hold for the machine they were measured on, so the page names it.
"""

import json
import sys
from pathlib import Path
from typing import Any

HEAD = """# How fast it is

Written by `make bench`. In each race the contenders take turns in one run, pinned to one core; the
clock is CPU time, and the minimum over the rounds counts. *Times the reference* is how often a
contender could run while the reference runs once; *over the floor* compares with the bare
arithmetic (a matrix product, a forward and backward pass), which cannot be beaten.
"""


def page(folder: Path) -> str:
    """The whole page."""
    parts, where = [], ""
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text("utf-8"))
        if isinstance(record, list):
            parts.append(faults(record))
            continue
        where = machine(record["environment"])
        parts.append(f"## {path.stem.replace('_', ' ').capitalize()}")
        parts += [table(race) for race in record["races"]]
    if not parts:
        raise SystemExit(f"there are no results in {folder}; run `make bench` first")
    return "\n\n".join([HEAD.strip(), where, *parts]) + "\n"


def machine(environment: dict[str, Any]) -> str:
    """What the numbers depend on, in one sentence."""
    packages = ", ".join(f"{name} {v}" for name, v in environment["packages"].items())
    processor = environment.get("processor") or environment["machine"]
    return f"Measured on {processor} with Python {environment['python']}, {packages}."


def table(race: dict[str, Any]) -> str:
    """One race, fastest first."""
    floor = any(lap["to_floor"] is not None for lap in race["laps"])
    heads = ["contender", "CPU ms", f"times {race['reference']}", *["over the floor"] * floor]
    rows = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for lap in sorted(race["laps"], key=lambda lap: lap["seconds"]):
        name = f"{lap['name']} ({lap['note']})" if lap["note"] else lap["name"]
        cells = [name, f"{1e3 * lap['seconds']:.3g}", f"{lap['ratio']:.2f}"]
        rows.append(cells + [f"{lap['to_floor']:.2f}"] * floor)
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    facts = ", ".join(f"{name} {value}" for name, value in race["facts"].items())
    about = f"{facts}; " if facts else ""
    return "\n".join([f"### {race['title']}", "", *lines, "", f"{about}{race['rounds']} rounds."])


def faults(record: list[dict[str, Any]]) -> str:
    """How many planted faults an examination finds."""
    found, blamed = sum(o["found"] for o in record), sum(bool(o["alarms"]) for o in record)
    return (
        f"## Planted faults\n\nOf {len(record)} networks with a planted fault, `corollary examine` "
        f"names {found} at the right place; of their healthy twins it blames {blamed}."
    )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("give the folder of results and the page to write")
    Path(sys.argv[2]).write_text(page(Path(sys.argv[1])), encoding="utf-8")
    print(f"Wrote {sys.argv[2]}.")
