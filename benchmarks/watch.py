"""What watching costs: step times with a watcher, with other monitors, and with none.

python benchmarks/watch.py [--json PATH] [--steps N]

All contenders train the same network in one process, in turns of a few steps in a changing order,
pinned to one core; what is compared is CPU time, with the standard error of the mean over turns. A
watcher looks closely at the first steps, which costs a fixed number of steps once; what it costs
from then on is the percentage.

The gradient logger does what ``wandb.watch(log="gradients")`` does: a histogram of every gradient,
every 100 steps, and here also every step. Cockpit has the instruments of its configuration
"economy", every 100 steps (its default is every step). It is left out where it is not installed
(its 1.0.2 needs setuptools below 81) and where BackPACK does not know a layer.
"""

import argparse
import importlib
import json
import os
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch.nn import functional as F

from corollary.watch.watcher import watch

TURN = 10  # steps of one contender before the next has its turn
START = 200  # steps that count as the start of a run


class Block(nn.Module):
    """A transformer block on torch's fused attention."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, h: Tensor) -> Tensor:
        q, k, v = self.qkv(self.norm1(h)).unflatten(-1, (3, 4, -1)).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        h = h + self.out(mixed.transpose(1, 2).flatten(2))
        return h + self.narrow(F.gelu(self.wide(self.norm2(h))))


class Gpt(nn.Module):
    """A small language model."""

    def __init__(self, width: int = 192, blocks: int = 4, tokens: int = 256) -> None:
        super().__init__()
        self.token = nn.Embedding(tokens, width)
        self.blocks = nn.Sequential(*(Block(width) for _ in range(blocks)))
        self.head = nn.Linear(width, tokens)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.blocks(self.token(ids))).transpose(1, 2)


def mlp() -> nn.Module:
    return nn.Sequential(
        nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 768), nn.ReLU(), nn.Linear(768, 10)
    )


def cnn() -> nn.Module:
    widths = (3, 64, 128, 256)
    layers: list[nn.Module] = []
    for a, b in zip(widths, widths[1:], strict=False):
        layers += [nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(
        *layers, nn.Flatten(), nn.Linear(256 * 4, 512), nn.ReLU(), nn.Linear(512, 10)
    )


NETWORKS: dict[str, tuple[Callable[[], nn.Module], Callable[[], tuple[Tensor, Tensor]]]] = {
    "MLP": (mlp, lambda: (torch.randn(128, 256), torch.randint(0, 10, (128,)))),
    "CNN": (cnn, lambda: (torch.randn(16, 3, 16, 16), torch.randint(0, 10, (16,)))),
    "GPT": (Gpt, lambda: (torch.randint(0, 256, (8, 64)), torch.randint(0, 256, (8, 64)))),
}


Backward = Callable[[Tensor, Tensor, Tensor, int], None]  # of loss, output, labels, step
Attach = Callable[[nn.Module, torch.optim.Optimizer], tuple[Backward, Callable[[], None]]]


def plain_backward(loss: Tensor, z: Tensor, y: Tensor, step: int) -> None:
    loss.backward()


def training(
    make: Callable[[], nn.Module], draw: Callable[[], tuple[Tensor, Tensor]], attach: Attach
) -> Iterator[Callable[[], None]]:
    """One step after the other; each gives the function that ends the run."""
    torch.manual_seed(0)
    model = make()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x, y = draw()
    backward, close = attach(model, optimizer)
    loss_function = close.loss if isinstance(close, Cockpits) else F.cross_entropy
    for step in range(1 << 30):
        optimizer.zero_grad()
        z = model(x)
        backward(loss_function(z, y), z, y, step)
        optimizer.step()
        yield close


def none(model: nn.Module, optimizer: torch.optim.Optimizer) -> tuple[Backward, Any]:
    return plain_backward, lambda: None


def watched(model: nn.Module, optimizer: torch.optim.Optimizer) -> tuple[Backward, Any]:
    watcher = watch(model, optimizer, to="/dev/null", quiet=True)

    def close() -> None:
        watcher.close()
        for problem in watcher.problems:
            print(f"{type(model).__name__}: {problem}")

    return plain_backward, close


def logger(every: int) -> Attach:
    """Histograms of gradients, as a logger of gradients makes them."""

    def attach(model: nn.Module, optimizer: torch.optim.Optimizer) -> tuple[Backward, Any]:
        count = {name: 0 for name, _ in model.named_parameters()}

        def hook(name: str) -> Callable[[Tensor], None]:
            def log(g: Tensor) -> None:
                count[name] += 1
                if count[name] % every == 0:
                    torch.histc(g.detach().float(), 64).tolist()

            return log

        for name, p in model.named_parameters():
            p.register_hook(hook(name))
        return plain_backward, lambda: None

    return attach


class Cockpits:
    """Cockpit around the backward pass; BackPACK's extended loss is part of it."""

    def __init__(self, model: nn.Module, optimizer: torch.optim.Optimizer, every: int) -> None:
        extend = importlib.import_module("backpack").extend
        cockpit = importlib.import_module("cockpit")
        settings = importlib.import_module("cockpit.utils.configuration")
        schedules = importlib.import_module("cockpit.utils.schedules")
        extend(model)
        self.loss = extend(nn.CrossEntropyLoss())
        self.optimizer = optimizer
        schedule = schedules.linear(every, offset=0)
        self.cockpit = cockpit.Cockpit(
            model.parameters(), settings.configuration("economy", track_schedule=schedule)
        )

    def backward(self, loss: Tensor, z: Tensor, y: Tensor, step: int) -> None:
        info = {
            "batch_size": len(y),
            "individual_losses": F.cross_entropy(z, y, reduction="none"),
            "loss": loss,
            "optimizer": self.optimizer,
        }
        with self.cockpit(step, info=info):
            loss.backward(create_graph=self.cockpit.create_graph(step))

    def __call__(self) -> None:
        """Nothing is left to do."""


def cockpit(every: int) -> Attach:
    def attach(model: nn.Module, optimizer: torch.optim.Optimizer) -> tuple[Backward, Any]:
        made = Cockpits(model, optimizer, every)
        return made.backward, made

    return attach


CONTENDERS: dict[str, Attach] = {
    "none": none,
    "watch": watched,
    "gradient logger, every 100": logger(100),
    "gradient logger, every step": logger(1),
    "Cockpit, every 100": cockpit(100),
}


def started(name: str) -> tuple[dict[str, Iterator[Callable[[], None]]], dict[str, str]]:
    """The runs that make their first step, and why others do not."""
    runs, missing = {}, {}
    for contender, attach in CONTENDERS.items():
        run = training(*NETWORKS[name], attach)
        try:
            next(run)
            runs[contender] = run
        except ImportError:
            missing[contender] = "not installed"
        except Exception as error:
            missing[contender] = type(error).__name__
    return runs, missing


def race(name: str, steps: int) -> tuple[dict[str, list[float]], dict[str, str]]:
    """CPU seconds per step of each contender, turn by turn, and who did not start."""
    runs, missing = started(name)
    spent: dict[str, list[float]] = {contender: [] for contender in runs}
    for turn in range((START + steps) // TURN):
        order = list(runs)
        for contender in order[turn % len(order) :] + order[: turn % len(order)]:
            began = time.process_time()
            for _ in range(TURN):
                close = next(runs[contender])
            spent[contender].append((time.process_time() - began) / TURN)
            if turn == (START + steps) // TURN - 1:
                close()
    return spent, missing


def row(spent: dict[str, list[float]], missing: dict[str, str]) -> tuple[list[str], dict[str, Any]]:
    """Cells of the table, and the numbers behind them."""
    first = START // TURN
    base = statistics.mean(spent["none"][first:])
    cells, data = [f"{1e3 * base:.2f} ms"], {"seconds per step": base, "missing": missing}
    for contender in list(CONTENDERS)[1:]:
        if contender in missing:
            cells.append(missing[contender])
            continue
        pairs = zip(spent[contender], spent["none"], strict=True)
        more = [100 * (ours - bare) / base for ours, bare in pairs]
        mean = statistics.mean(more[first:])
        error = statistics.stdev(more[first:]) / len(more[first:]) ** 0.5
        data[contender] = {"percent": mean, "error": error, "start": sum(more[:first]) * TURN / 100}
        cells.append(f"{mean:+.1f} ± {error:.1f} %")
    cells.append(f"{data['watch']['start']:.0f} steps, once")
    return cells, data


def main() -> None:
    """Print the table, and write it as JSON if asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--steps", type=int, default=2000)
    arguments.add_argument("--only", choices=list(NETWORKS))
    asked = arguments.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {0})
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # of Cockpit
    table = Table("network", "parameters", *CONTENDERS, "start of watch")
    rows = {}
    for name in [asked.only] if asked.only else NETWORKS:
        size = sum(p.numel() for p in NETWORKS[name][0]().parameters())
        cells, rows[name] = row(*race(name, asked.steps))
        table.add_row(name, f"{size / 1e6:.1f} M", *cells)
    Console(width=140).print(table)
    if asked.json:
        asked.json.parent.mkdir(parents=True, exist_ok=True)
        asked.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
