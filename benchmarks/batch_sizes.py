"""How the best learning rate changes with the batch size, and the critical batch size.

Networks see the same number of examples with batch sizes from 4 to 256. For each batch size and
seed the best learning rate is the minimum of the parabola through the lowest final loss of a grid
(factors of two) and its neighbours. The exponent of the batch size is fitted for every seed; its
interval is Student's over the seeds. Theory: 1 for SGD below the critical batch size, 1/2 for Adam.

    python benchmarks/batch_sizes.py [--file out/bench/batch_sizes.json]
"""

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from small_tasks import Task, tasks

from corollary.core.measurement import Sample
from corollary.theory.landscape.curvature import Landscape, noise_scale
from corollary.train.trainer import fit

NETWORKS, OPTIMIZERS = ("autoencoder", "MLP"), ("SGD", "AdamW")
BATCHES = (4, 16, 64, 256)
EXAMPLES = 6400
SEEDS = (0, 1, 2)
LOWEST = {"SGD": -6, "AdamW": -12}  # power of 2 at the smallest batch; more are added as needed
FEW = 6  # learning rates to begin with


def best_rate(task: Task, batch: int, low: int, seed: int) -> tuple[float, float]:
    """The power of 2 of the best learning rate, and its loss."""
    losses: dict[int, float] = {}

    def tried(k: int) -> float:
        if k not in losses:
            losses[k] = task.final_loss(2.0**k, seed, steps=EXAMPLES // batch, batch=batch)
        return losses[k]

    for k in range(low, low + FEW):
        tried(k)
    while (k := min(losses, key=losses.__getitem__)) in (min(losses), max(losses)):
        tried(k - 1 if k == min(losses) else k + 1)
    below, middle, above = (losses[k + j] for j in (-1, 0, 1))
    bend = below - 2 * middle + above
    return k + (0.5 * (below - above) / bend if 0 < bend < math.inf else 0.0), middle


def row(task: Task) -> dict[str, Any]:
    found = {seed: [] for seed in SEEDS}
    for seed in SEEDS:
        low = LOWEST[task.optimizer]
        for batch in BATCHES:
            rate, loss = best_rate(task, batch, low, seed)
            found[seed].append((rate, loss))
            low = round(rate) - FEW // 2 + 1
    rates = np.array([[rate for rate, _ in found[seed]] for seed in SEEDS])
    slopes = [float(np.polyfit(np.log2(BATCHES), r, 1)[0]) for r in rates]
    read = Sample(slopes).read(0.95)
    return {
        "network": task.network,
        "optimizer": task.optimizer,
        "rates": dict(zip(map(str, BATCHES), (2 ** rates.mean(0)).tolist(), strict=True)),
        "losses": np.array([[loss for _, loss in found[s]] for s in SEEDS]).mean(0).tolist(),
        "exponent": [read.value, read.low, read.high],
        "critical": [critical(task, steps) for steps in (0, 100)],
    }


def critical(task: Task, steps: int) -> list[float]:
    """The gradient noise scale with its interval, after some steps at a middle learning rate."""
    model, (x, y) = task.model(0), task.data
    if steps:
        rate = 0.1 if task.optimizer == "SGD" else 0.002
        made = lambda parameters: task.made(parameters, rate)  # noqa: E731
        fit(model, task.data, task.loss, made, steps=steps, batch_size=task.batch)
    found = noise_scale(Landscape(model, task.loss, (x[:2000], y[:2000])), groups=64).scale
    return [found.value, found.low, found.high]


def table(rows: list[dict[str, Any]]) -> str:
    """In Markdown."""
    head = ["network", "optimizer", *(f"B = {b}" for b in BATCHES), "exponent"]
    head += ["critical batch size at the start", "after 100 steps"]
    lines = ["| " + " | ".join(head) + " |", "| --- " * len(head) + "|"]
    for r in rows:
        value, low, high = r["exponent"]
        cells = [f"{rate:.2g}" for rate in r["rates"].values()]
        cells.append(f"{value:.2f} ({low:.2f} to {high:.2f})")
        cells += [f"{v:.0f} ({a:.0f} to {b:.0f})" for v, a, b in r["critical"]]
        lines.append(f"| {r['network']} | {r['optimizer']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--file", type=Path, default=Path("out/bench/batch_sizes.json"))
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
