"""Write what the benchmarks measured as one page: ``python tools/speed_page.py out/bench PAGE``.

Reads the JSON files of the races (``make bench`` writes them) and writes Markdown. Ratios hold for
the machine they were measured on, so the page names it. Rows that are more than 15 % behind the
ratios stored in ``benchmarks/stored_ratios.json`` are listed on the page and printed; ``--store``
makes the ratios of this run the stored ones.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

STORED = Path(__file__).parents[1] / "benchmarks" / "stored_ratios.json"
BEHIND = 0.85
HEAD = """# How fast it is

Written by `make bench`. In each race the contenders take turns in one run, pinned to one core; the
clock is CPU time, and the minimum over the rounds counts. *Times the reference* is how often a
contender could run while the reference runs once; *over the floor* compares with the bare
arithmetic (a matrix product, a forward and backward pass), which cannot be beaten.
"""


def page(folder: Path, stored: dict[str, float]) -> str:
    """The whole page."""
    parts, where = [], ""
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text("utf-8"))
        if isinstance(record, list):
            parts.append(faults(record))
            continue
        where = machine(record["environment"])
        parts.append(f"## {path.stem.replace('_', ' ').capitalize()}")
        parts += [
            drawn(race) if "exponent" in race["facts"] else table(race) for race in races_of(record)
        ]
    if not parts:
        raise SystemExit(f"there are no results in {folder}; run `make bench` first")
    about = [where, missing(folder), fallen(ratios(folder), stored)]
    return "\n\n".join([HEAD.strip(), *filter(None, about), *parts]) + "\n"


def missing(folder: Path) -> str:
    """Which benchmarks this run does not have."""
    files = sorted(STORED.parent.glob("*.py"))
    races = [p.stem for p in files if "\nfrom race import" in p.read_text("utf-8")]
    absent = [name for name in races if not (folder / f"{name}.json").exists()]
    return f"Not in this run: {', '.join(absent)}." if absent else ""


def races_of(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The races of one benchmark."""
    found: list[dict[str, Any]] = record["races"]
    return found


def ratios(folder: Path) -> dict[str, float]:
    """Every row's ratio to the reference of its race, by title and name."""
    return dict(_ratios(folder))


def _ratios(folder: Path) -> Iterator[tuple[str, float]]:
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text("utf-8"))
        for race in record["races"] if isinstance(record, dict) else ():
            for lap in race["laps"]:
                if lap["name"].startswith("corollary"):
                    yield f"{race['title']}: {lap['name']}", round(lap["ratio"], 3)


def fallen(now: dict[str, float], stored: dict[str, float]) -> str:
    """Which rows are behind what was stored."""
    if not stored:
        return "No ratios are stored yet."
    behind = {name: r for name, r in now.items() if r < BEHIND * stored.get(name, 0.0)}
    if not behind:
        return f"No row is more than 15 % behind its stored ratio ({len(stored)} are stored)."
    lines = [f"- {name}: {r:.2f}, stored {stored[name]:.2f}" for name, r in behind.items()]
    return "\n".join(["More than 15 % behind the stored ratio:", "", *lines])


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
        rows.append(cells + [f"{lap['to_floor'] or 0:.2f}"] * floor)
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    facts = ", ".join(f"{name} {value}" for name, value in race["facts"].items())
    about = f"{facts}; " if facts else ""
    rounds = "1 round" if race["rounds"] == 1 else f"{race['rounds']} rounds"
    return "\n".join([f"### {race['title']}", "", *lines, "", f"{about}{rounds}."])


def drawn(race: dict[str, Any]) -> str:
    """Cost over size as a figure, with the exponent."""
    from corollary.core.figure import Curve, Figure, Points
    from corollary.report.svg import figure_svg

    facts, laps = race["facts"], race["laps"]
    sizes, spent = facts["sizes"], [1e3 * lap["seconds"] for lap in laps]
    last = [spent[-1] * (s / sizes[-1]) ** facts["stated"] for s in sizes]
    stated = Curve(last, sizes, f"slope {facts['stated']}, as stated", "predicted")
    marks = stated, Points(sizes, spent, f"measured, slope {facts['exponent']}")
    figure = Figure(race["title"], facts["over"], "CPU ms", marks, log_x=True, log_y=True)
    verdict = "not steeper than stated" if facts["as stated"] else "**steeper than stated**"
    sentence = (
        f"CPU time grows with exponent {facts['exponent']} (stated {facts['stated']}): {verdict}."
    )
    svg = figure_svg(figure, width=420, height=180, title=False)
    return "\n".join([f"### {race['title']}", "", "```{raw} html", svg, "```", "", sentence])


def faults(record: list[dict[str, Any]]) -> str:
    """How many planted faults an examination finds."""
    found, blamed = sum(o["found"] for o in record), sum(bool(o["alarms"]) for o in record)
    return (
        f"## Planted faults\n\nOf {len(record)} networks with a planted fault, `corollary examine` "
        f"names {found} at the right place; of their healthy twins it blames {blamed}."
    )


def main() -> None:
    """Read the folder, write the page, say what fell behind."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="where the JSON files are")
    parser.add_argument("page", type=Path, help="the Markdown file to write")
    parser.add_argument("--store", action="store_true", help="keep the ratios of this run")
    asked = parser.parse_args()
    stored = json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}
    asked.page.write_text(page(asked.folder, stored), encoding="utf-8")
    print(fallen(ratios(asked.folder), stored))
    if asked.store:
        kept = stored | ratios(asked.folder)
        STORED.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"Wrote {asked.page}.")


if __name__ == "__main__":
    main()
