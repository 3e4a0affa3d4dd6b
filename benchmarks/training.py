"""What `corollary.train.fit` costs over a loop written by hand.

MLP 784-256-10, batches of 128 of 12,800 rows in memory, shuffled each epoch, SGD. All contestants
run in this process, one after the other and in turn, on one core and one thread; the clock is the
process's CPU time and the best of the rounds counts. Run it on a quiet machine:

    python benchmarks/training.py [--rounds 12] [--json out/training.json]
"""

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from corollary.train import Callback, Measure, fit

ROWS, BATCH = 12_800, 128


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))


def sgd(parameters) -> torch.optim.Optimizer:
    return torch.optim.SGD(parameters, lr=0.01)


def update(model: nn.Module, optimizer: torch.optim.Optimizer, x, y) -> float:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()  # a history needs it


def bare_loop(gather: Callable) -> Callable[[torch.Tensor, torch.Tensor], None]:
    def run(x, y):
        model = network()
        optimizer = sgd(model.parameters())
        for rows in torch.randperm(len(x)).split(BATCH):
            update(model, optimizer, gather(x, rows), gather(y, rows))

    return run


def bare_in_order(x, y) -> None:
    model = network()
    optimizer = sgd(model.parameters())
    for a, b in zip(x.split(BATCH), y.split(BATCH), strict=True):
        update(model, optimizer, a, b)


def bare_loader(x, y) -> None:
    model = network()
    optimizer = sgd(model.parameters())
    for a, b in DataLoader(TensorDataset(x, y), batch_size=BATCH, shuffle=True):
        update(model, optimizer, a, b)


def ours(x, y) -> None:
    fit(network(), (x, y), F.cross_entropy, sgd, epochs=1, batch_size=BATCH)


class Listener(Callback):
    """Records a number each step, as a user's callback might."""

    def on_step(self, loop):
        """Record the latest loss once more."""
        loop.record("loss again", loop.history.losses[-1])


def ours_with_everything(x, y) -> None:
    listeners = [Listener(), Measure(every=10, bias=lambda model: model[0].bias.sum())]
    how = {"callbacks": listeners, "progress": True}
    fit(network(), (x, y), F.cross_entropy, sgd, epochs=1, batch_size=BATCH, **how)


def ours_loader(x, y) -> None:
    loader = DataLoader(TensorDataset(x, y), batch_size=BATCH, shuffle=True)
    fit(network(), loader, F.cross_entropy, sgd, epochs=1)


CONTESTANTS = {
    "bare loop, x[rows]": bare_loop(lambda t, rows: t[rows]),
    "bare loop, index_select": bare_loop(lambda t, rows: t.index_select(0, rows)),
    "bare loop, not shuffled (floor)": bare_in_order,
    "bare loop, DataLoader": bare_loader,
    "fit": ours,
    "fit, callbacks, metrics, bar": ours_with_everything,
    "fit, DataLoader": ours_loader,
}
REFERENCE = "bare loop, x[rows]"


def race(rounds: int) -> dict[str, float]:
    """Best CPU seconds per epoch of each contestant."""
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(ROWS, 784, generator=rng)
    y = torch.randint(10, (ROWS,), generator=rng)
    best = dict.fromkeys(CONTESTANTS, float("inf"))
    for _ in range(rounds):
        for name, run in CONTESTANTS.items():
            start = time.process_time()
            run(x, y)
            best[name] = min(best[name], time.process_time() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=12, help="times each contestant runs")
    parser.add_argument("--json", type=Path, help="also write the numbers here")
    args = parser.parse_args()
    torch.set_num_threads(1)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    best = race(args.rounds)
    steps = ROWS / BATCH
    print(
        f"{'contestant':34}{'samples/s':>12}{'us/step':>10}{'/ bare loop':>13}{'/ DataLoader':>14}"
    )
    for name, seconds in sorted(best.items(), key=lambda item: item[1]):
        to_bare, to_loader = seconds / best[REFERENCE], seconds / best["bare loop, DataLoader"]
        print(
            f"{name:34}{ROWS / seconds:12,.0f}{1e6 * seconds / steps:10.0f}"
            f"{to_bare:13.3f}{to_loader:14.3f}"
        )
    if args.json:
        where = {"python": platform.python_version(), "torch": torch.__version__}
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps({"seconds": best, "rows": ROWS, **where}, indent=2) + "\n")


if __name__ == "__main__":
    main()
