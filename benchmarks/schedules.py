"""Learning-rate schedules at their best peaks: final loss against the best of all schedules.

Four schedules, each with and without a warm-up over a tenth of the steps, are trained at peaks a
factor of two apart. The table has the final training loss of each schedule at its best peak, as an
excess over the lowest loss of the task.

    python benchmarks/schedules.py [--file out/bench/schedules.json]
"""

import argparse
import json
from pathlib import Path
from typing import Any

import torch
from small_tasks import STEPS, Task, tasks

from corollary.theory.scaling.noisy_quadratic import SHAPES, shape

NETWORKS, OPTIMIZERS = ("logistic regression", "autoencoder", "MLP"), ("SGD", "AdamW")
SEEDS = (0, 1)
START = {"SGD": range(-5, 4), "AdamW": range(-8, -2)}  # powers of 2; more are added as needed


def best_loss(task: Task, factors: list[float]) -> tuple[float, float]:
    """The best peak and its mean final loss."""
    losses: dict[int, float] = {}

    def tried(k: int) -> None:
        runs = [task.final_loss(2.0**k, seed, schedule=factors.__getitem__) for seed in SEEDS]
        losses[k] = sum(runs) / len(runs)

    for k in START[task.optimizer]:
        tried(k)
    while (k := min(losses, key=losses.__getitem__)) in (min(losses), max(losses)):
        tried(k - 1 if k == min(losses) else k + 1)
    return 2.0**k, losses[k]


def row(task: Task) -> dict[str, Any]:
    found = {}
    for name in SHAPES:
        for warm_up in (0, STEPS // 10):
            peak, loss = best_loss(task, shape(name, STEPS, warm_up))
            found[f"{name}, warm-up" if warm_up else name] = {"peak": peak, "loss": loss}
    return {"network": task.network, "optimizer": task.optimizer, "found": found}


def table(rows: list[dict[str, Any]]) -> str:
    """In Markdown."""
    names = list(rows[0]["found"])
    lines = ["| network | optimizer | lowest loss | " + " | ".join(names) + " |"]
    lines.append("| --- " * (3 + len(names)) + "|")
    for r in rows:
        low = min(v["loss"] for v in r["found"].values())
        cells = [f"{100 * (v['loss'] / low - 1):+.0f} %" for v in r["found"].values()]
        lines.append(
            f"| {r['network']} | {r['optimizer']} | {low:.3g} | " + " | ".join(cells) + " |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--file", type=Path, default=Path("out/bench/schedules.json"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    for task in tasks():
        if task.network in NETWORKS and task.optimizer in OPTIMIZERS:
            rows.append(row(task))
            options.file.parent.mkdir(parents=True, exist_ok=True)
            options.file.write_text(json.dumps(rows, indent=1) + "\n")
            print(table(rows).splitlines()[-1], flush=True)
    print(table(rows))


if __name__ == "__main__":
    main()
