"""What watching costs: step times with a watcher, with a gradient logger, and with neither.

python benchmarks/watch.py [--json PATH] [--steps N]

All contenders train the same network in one process, in turns of a few steps, pinned to one core;
what is compared is CPU time. A watcher looks closely at the first steps, which costs a fixed number
of steps once; what it costs from then on is the percentage. The gradient logger does what
``wandb.watch(log="gradients")`` does: a histogram of every gradient, every 100 steps, and here also
every step.
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch.nn import functional as F

from corollary.watch.watcher import watch

TURN = 10  # steps of one contender before the next has its turn
START = 100  # steps that count as the start of a run


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


def training(make: Callable[[], nn.Module], draw: Callable[[], tuple[Tensor, Tensor]]) -> Iterator:
    """A model and its optimizer, then one step after the other."""
    torch.manual_seed(0)
    model = make()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x, y = draw()
    yield model, optimizer
    while True:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        yield None


def logged(model: nn.Module, every: int) -> None:
    """Histograms of gradients, as a logger of gradients makes them."""
    count = {name: 0 for name, _ in model.named_parameters()}

    def hook(name: str) -> Callable[[Tensor], None]:
        def log(g: Tensor) -> None:
            count[name] += 1
            if count[name] % every == 0:
                torch.histc(g.detach().float(), 64).tolist()

        return log

    for name, p in model.named_parameters():
        p.register_hook(hook(name))


CONTENDERS: dict[str, Callable[[nn.Module, torch.optim.Optimizer], object]] = {
    "none": lambda model, optimizer: None,
    "watch": lambda model, optimizer: watch(model, optimizer, to="/dev/null", quiet=True),
    "gradient logger, every 100": lambda model, optimizer: logged(model, 100),
    "gradient logger, every step": lambda model, optimizer: logged(model, 1),
}


def race(name: str, steps: int) -> tuple[dict[str, float], dict[str, float]]:
    """CPU seconds of each contender, in turns: of the start, and per step after it."""
    runs, kept = {}, []
    for contender, attach in CONTENDERS.items():
        run = training(*NETWORKS[name])
        model, optimizer = next(run)
        kept.append(attach(model, optimizer))
        runs[contender] = run
    start, after = dict.fromkeys(runs, 0.0), dict.fromkeys(runs, 0.0)
    for turn in range((START + steps) // TURN):
        for contender, run in runs.items():
            began = time.process_time()
            for _ in range(TURN):
                next(run)
            spent = start if turn * TURN < START else after
            spent[contender] += time.process_time() - began
    for watcher in kept:
        if watcher is not None:
            watcher.close()
            for problem in watcher.problems:
                print(f"{name}: {problem}")
    return start, {contender: seconds / steps for contender, seconds in after.items()}


def main() -> None:
    """Print the table, and write it as JSON if asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--steps", type=int, default=600)
    arguments.add_argument("--only", choices=list(NETWORKS))
    asked = arguments.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {0})
    torch.set_num_threads(1)
    table = Table("network", "parameters", *CONTENDERS, "start of watch")
    rows = {}
    for name in [asked.only] if asked.only else NETWORKS:
        make = NETWORKS[name][0]
        size = sum(p.numel() for p in make().parameters())
        start, found = race(name, asked.steps)
        rows[name] = {"start": start, "per step": found}
        base = found["none"]
        cells = [f"{1e3 * base:.2f} ms"] + [
            f"{100 * (found[c] / base - 1):+.1f} %" for c in CONTENDERS if c != "none"
        ]
        extra = (start["watch"] - start["none"]) / base
        table.add_row(name, f"{size / 1e6:.1f} M", *cells, f"{extra:.0f} steps, once")
    Console(width=120).print(table)
    if asked.json:
        asked.json.parent.mkdir(parents=True, exist_ok=True)
        asked.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
