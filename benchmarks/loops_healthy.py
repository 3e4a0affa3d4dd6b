"""What is said of correct training loops: nothing of medium or high severity, it should be.

python benchmarks/loops_healthy.py [--only NAME] [--seeds N] [--jobs N] [--part healthy|fifth]
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import torch
from joblib import Parallel, delayed
from loops.fifth import CORRECT
from loops.healthy import HEALTHY
from loops.planted import ALARM, Watch
from rich.console import Console
from rich.table import Table

from corollary.watch.event import Event
from corollary.watch.watcher import Watcher, watch


def seen(loop: Callable[[Watch], Any], seed: int) -> tuple[list[Event], list[str], float]:
    """Events, problems of the watcher itself, and CPU seconds of one run."""
    made: list[Watcher] = []

    def quiet_watch(*args: Any, **options: Any) -> Watcher:
        made.append(watch(*args, **({"to": None, "quiet": True} | options)))
        return made[-1]

    began = time.process_time()
    torch.manual_seed(seed)
    try:
        loop(quiet_watch)
    finally:
        for watcher in made:
            watcher.close()
    problems = [p for watcher in made for p in watcher.problems]
    return [e for watcher in made for e in watcher.events], problems, time.process_time() - began


def main() -> None:
    """Print one row per loop."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--seeds", type=int, default=1)
    arguments.add_argument("--jobs", type=int, default=1)
    arguments.add_argument("--part", choices=["healthy", "fifth"], default="healthy")
    asked = arguments.parse_args()
    loops = CORRECT if asked.part == "fifth" else HEALTHY
    runs = [(f, s) for f in loops if asked.only in f.__name__ for s in range(asked.seeds)]
    found = Parallel(asked.jobs)(delayed(seen)(f, s) for f, s in runs)
    table = Table("loop", "seconds", "medium and high", "low", "problems")
    alarms = 0
    for (f, _), (events, problems, seconds) in zip(runs, found, strict=True):
        loud = [e for e in events if e.severity.rank >= ALARM.rank]
        alarms += len(loud)
        low = [f"{e.cause} {e.step}" for e in events if e not in loud]
        said = [f"{e.cause} ({e.severity}) {e.step}" for e in loud]
        cells = ("\n".join(said), "\n".join(low), "\n".join(problems))
        table.add_row(f.__name__, f"{seconds:.1f}", *cells)
    console = Console(width=150)
    console.print(table)
    console.print(f"{alarms} medium or high events in {len(runs)} healthy runs")


if __name__ == "__main__":
    main()
