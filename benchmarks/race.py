"""Races between ways to compute the same thing, on one core, in one process.

Contenders take turns, so that whatever else the machine does hits them alike; the clock is CPU
time; the minimum over the rounds counts. A contender that takes more than a few seconds runs once
to warm up and once for the record; a peer that takes longer still runs once in all. A ratio
compares with the reference of the race, and where a race names a floor (what the arithmetic alone
costs) the distance to it is shown too.

    def sums() -> Race:
        x = torch.randn(10**6)
        return race("Sum", {"ours": x.sum, "numpy": x.numpy().sum}, reference="numpy")

    if __name__ == "__main__":
        main(sums)
"""

import argparse
import gc
import json
import os
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

Contender = Callable[[], Any]
PACKAGES = (
    "corollary",
    "torch",
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "tokenizers",
    "transformers",
    "curvlinops-for-pytorch",
    "hessian-eigenthings",
    "pyhessian",
    "torchattacks",
    "foolbox",
    "weightwatcher",
    "powerlaw",
)
SHORTEST = 5e-3  # seconds; a quicker contender is run several times a round
LONGEST = 2.0  # seconds; a slower contender is run once, beside the run that warms it up
ONCE = 10.0  # seconds; of a peer that is slower still, the run that warms it up counts


@dataclass(frozen=True)
class Lap:
    """One contender: its best round, and how the others scattered."""

    name: str
    seconds: float  # CPU seconds of one run, minimum over the rounds
    typical: float  # the median over the rounds
    ratio: float  # reference over this one: 2 is twice as fast as the reference
    to_floor: float | None  # this one over the floor: 1 cannot be beaten
    note: str = ""


@dataclass(frozen=True)
class Race:
    """All contenders of one question."""

    title: str
    reference: str
    rounds: int
    laps: tuple[Lap, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)  # sizes, mistakes, agreement, ...


def race(
    title: str,
    contenders: Mapping[str, Contender],
    *,
    reference: str,
    floor: str | None = None,
    rounds: int = 7,
    notes: Mapping[str, str] | None = None,
    facts: Mapping[str, Any] | None = None,
) -> Race:
    """Run every contender once to warm up (compilation, caches), then in turns."""
    for name in (reference, floor):
        if name is not None and name not in contenders:
            raise ValueError(f"'{name}' is not among the contenders {sorted(contenders)}")
    first = {name: _warmed_up(run) for name, run in contenders.items()}
    runs = {name: max(1, round(SHORTEST / max(once, 1e-7))) for name, once in first.items()}
    slow = {name for name, s in first.items() if s >= ONCE and not name.startswith("corollary")}
    times = {name: [first[name]] if name in slow else [] for name in contenders}
    names = list(contenders)
    for k in range(rounds):
        for name in names[k % len(names) :] + names[: k % len(names)]:  # nobody is always first
            if first[name] < LONGEST or (k == 0 and name not in slow):
                times[name].append(_cpu_seconds(contenders[name], runs[name]))
    best = {name: min(seconds) for name, seconds in times.items()}
    laps = tuple(
        Lap(
            name,
            best[name],
            median(times[name]),
            best[reference] / best[name],
            None if floor is None else best[name] / best[floor],
            (notes or {}).get(name, ""),
        )
        for name in names
    )
    return Race(title, reference, rounds, laps, facts or {})


def pin_to_one_core() -> None:
    """One core and one thread for this process, so that CPU time is time."""
    import torch

    torch.set_num_threads(1)
    if hasattr(os, "sched_setaffinity"):  # Linux only
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def main(*parts: Callable[[], Race]) -> None:
    """Run the races named on the command line, or all; print tables; write JSON if asked."""
    names = {part.__name__: part for part in parts}
    parser = argparse.ArgumentParser(description="Compare with peers on one core, in CPU time.")
    parser.add_argument("only", nargs="*", help=f"which of {', '.join(names)}; all if absent")
    parser.add_argument("--json", type=Path, metavar="PATH", help="also write the numbers here")
    asked = parser.parse_args()
    unknown = [name for name in asked.only if name not in names]
    if unknown:
        parser.error(f"no race is called '{unknown[0]}'; there are {', '.join(names)}")
    pin_to_one_core()
    races = []
    for name in asked.only or names:
        races.append(names[name]())
        show(races[-1])
    if asked.json:
        record = {"environment": environment(), "races": [asdict(run) for run in races]}
        asked.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def show(run: Race) -> None:
    """Print one race as a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=run.title, title_justify="left", caption=_caption(run))
    floor = any(lap.to_floor is not None for lap in run.laps)
    heads = ["contender", "CPU ms", "median", f"times {run.reference}"]
    for head in heads + ["over floor"] * floor:
        table.add_column(head, justify="left" if head == "contender" else "right")
    table.add_column("note", max_width=44)
    for lap in sorted(run.laps, key=lambda lap: lap.seconds):
        cells = [lap.name, f"{1e3 * lap.seconds:.3g}", f"{1e3 * lap.typical:.3g}"]
        cells += [f"{lap.ratio:.2f}x"] + [f"{lap.to_floor or 0:.2f}"] * floor + [lap.note]
        table.add_row(*cells)
    Console().print(table)


def environment() -> dict[str, Any]:
    """What the numbers depend on."""
    packages = {}
    for name in PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "packages": packages,
    }


def _processor() -> str:
    """Its name where Linux tells it, else what Python knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _caption(run: Race) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in run.facts.items())
    return f"{facts}; CPU time, minimum of {run.rounds} alternating rounds"


def _warmed_up(run: Contender) -> float:
    """CPU seconds of a run that need not compile or fill caches; of the first if that was long."""
    once = _cpu_seconds(run, 1)
    return once if once > LONGEST else _cpu_seconds(run, 1)


def _cpu_seconds(run: Contender, runs: int) -> float:
    """CPU seconds of one run, averaged over ``runs`` of them, with the collector held off."""
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        for _ in range(runs):
            run()
        return (time.process_time() - start) / runs
    finally:
        gc.enable()
