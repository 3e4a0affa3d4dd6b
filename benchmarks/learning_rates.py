"""Learning-rate finders against a grid: 20 tasks, final training loss over three seeds.

For every task, a grid of learning rates a factor of two apart is trained for 200 steps with three
seeds. Each finder gets the network of the first seed. Its rate is trained with the three seeds, and
its final loss is compared with the lowest of the grid.

    python benchmarks/learning_rates.py [--only MLP] [--file out/bench/learning_rates.json]
    python benchmarks/learning_rates.py --again | --table
"""

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import torch
from range_tests import RULES
from small_tasks import STEPS, Task, tasks

from corollary.train.learning_rate.finder import find_learning_rate

FILE = Path("out/bench/learning_rates.json")
SEEDS = (0, 1, 2)
GRID = {"SGD": range(-11, 5), "momentum": range(-13, 3)}  # powers of 2
GRID |= {"RMSprop": range(-15, 1), "AdamW": range(-14, 2)}
CLOSE = 1.1  # times the best final loss


def mean_loss(task: Task, lr: float) -> float:
    return sum(task.final_loss(lr, seed) for seed in SEEDS) / len(SEEDS)


def row(task: Task) -> dict[str, Any]:
    """What one task gave; losses that are not finite are None."""
    losses = {k: mean_loss(task, 2.0**k) for k in GRID[task.optimizer]}
    best = min(losses, key=losses.__getitem__)
    return {
        "network": task.network,
        "optimizer": task.optimizer,
        "grid": {str(k): _plain(v) for k, v in losses.items()},
        "best": best,
        "best loss": losses[best],
    } | searched(task)


def searched(task: Task) -> dict[str, Any]:
    """The rate of each finder, and what it led to."""
    began = time.process_time()
    found = find_learning_rate(
        task.model(0), task.data, task.loss, task.made, steps=STEPS, batch_size=task.batch
    )
    seconds = time.process_time() - began
    rates = {"corollary": found.rate}
    rates |= {name: rule(task, task.model(0)) for name, rule in RULES.items()}
    return {
        "found": {
            name: {"rate": rate, "loss": _plain(mean_loss(task, rate))}
            for name, rate in rates.items()
        },
        "range": [found.low, found.high],
        "stable": None if found.stable is None else found.stable.value,
        "search steps": found.steps,
        "search seconds": round(seconds, 1),
    }


def table(rows: list[dict[str, Any]]) -> str:
    """All tasks in Markdown, and how many are within 10 % of the grid's best."""
    names = list(rows[0]["found"])
    lines = ["| network | optimizer | best of the grid: rate (loss) | " + " | ".join(names) + " |"]
    lines.append("| --- " * (3 + len(names)) + "|")
    for r in rows:
        cells = [f"{v['rate']:.2g} ({_excess(v['loss'], r)})" for v in r["found"].values()]
        best = f"{2.0 ** r['best']:.2g} ({r['best loss']:.3g})"
        lines.append(f"| {r['network']} | {r['optimizer']} | {best} | " + " | ".join(cells) + " |")
    close = [sum(_close(r["found"][name]["loss"], r) for r in rows) for name in names]
    counts = " | ".join(f"{k} of {len(rows)}" for k in close)
    lines.append(f"| within 10 % | | | {counts} |")
    return "\n".join(lines)


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _close(loss: float | None, r: dict[str, Any]) -> bool:
    return loss is not None and loss <= CLOSE * r["best loss"]


def _excess(loss: float | None, r: dict[str, Any]) -> str:
    return "diverged" if loss is None else f"{100 * (loss / r['best loss'] - 1):+.0f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--file", type=Path, default=FILE)
    parser.add_argument("--only", help="one network")
    parser.add_argument("--again", action="store_true", help="run the finders again on old grids")
    parser.add_argument("--table", action="store_true", help="print the table, run nothing")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = json.loads(options.file.read_text()) if options.file.exists() else []
    done = {(r["network"], r["optimizer"]): r for r in rows}
    for task in () if options.table else tasks():
        old = done.get((task.network, task.optimizer))
        if options.only not in (None, task.network) or (old is not None and not options.again):
            continue
        rows = [r for r in rows if r is not old]
        rows.append(row(task) if old is None else old | searched(task))
        options.file.parent.mkdir(parents=True, exist_ok=True)
        options.file.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")
        print(table(rows[-1:]).splitlines()[2], flush=True)
    print(table(rows))


if __name__ == "__main__":
    main()
