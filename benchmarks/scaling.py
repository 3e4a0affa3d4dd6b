"""Exponents of the width against theory: 4 parametrisations, 3 architectures, 2 optimizers.

For every layer the exponents of its activation, of its update and of the change of the logits
through it are compared with theory's: how many are within 0.1, how many 95 % intervals contain
theory's value, and which is farthest from it. Intervals are those of the limit, which have the bias
of finite widths in them. The targets are large, so that the gradient of the loss is the same at all
widths. The base, at which all parametrisations are the same network, is a sixteenth of the smallest
width: in the mean-field parametrisation, branches fall like a root of the width from order one at
the base, and a GELU is linear only where its input is small.

    python benchmarks/scaling.py [--only MLP] [--json out/bench/scaling.json]
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from corollary.theory.scaling.abc import PARAMETRISATIONS, Parametrisation
from corollary.train.scaling.check import width_check
from corollary.train.scaling.exponent import Exponent
from corollary.train.scaling.parametrise import parametrise

WIDTHS = {"MLP": (256, 512, 1024, 2048), "CNN": (64, 128, 256, 512), "GPT": (128, 256, 512, 1024)}
SEEDS = {"MLP": 10, "CNN": 10, "GPT": 5}
BASE = 16  # how much narrower than the smallest width
LARGE = 100.0  # size of targets
HEAD = 8  # size of a head; their number grows


def mlp(n: int) -> nn.Module:
    layers = [nn.Linear(8, n, bias=False), nn.ReLU(), nn.Linear(n, n, bias=False), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(n, 8, bias=False))


def cnn(n: int) -> nn.Module:
    first = nn.Conv2d(3, n, 3, padding=1, bias=False)
    second = nn.Conv2d(n, n, 3, padding=1, bias=False)
    pool = [nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), *pool, nn.Linear(n, 8, bias=False))


class GPT(nn.Module):
    """One pre-norm decoder block on token embeddings."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(8, n)
        self.before_attention = nn.LayerNorm(n, elementwise_affine=False)
        self.qkv = nn.Linear(n, 3 * n, bias=False)
        self.out = nn.Linear(n, n, bias=False)
        self.before_mlp = nn.LayerNorm(n, elementwise_affine=False)
        self.up = nn.Linear(n, 4 * n, bias=False)
        self.down = nn.Linear(4 * n, n, bias=False)
        self.last_norm = nn.LayerNorm(n, elementwise_affine=False)
        self.head = nn.Linear(n, 8, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embed(ids)
        qkv = self.qkv(self.before_attention(x)).unflatten(-1, (3, -1, HEAD))
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        x = x + self.down(F.gelu(self.up(self.before_mlp(x))))
        return self.head(self.last_norm(x))


def data_of(name: str) -> tuple[Tensor, Tensor]:
    rng = torch.Generator().manual_seed(0)
    if name == "GPT":
        ids = torch.randint(0, 8, (2, 5), generator=rng)
        return ids[:, :-1], LARGE * F.one_hot(ids[:, 1:], 8).double()
    shape = (8, 3, 6, 6) if name == "CNN" else (8, 8)
    return torch.randn(shape, generator=rng), LARGE * torch.eye(8)


ARCHITECTURES: dict[str, Callable[[int], nn.Module]] = {"MLP": mlp, "CNN": cnn, "GPT": GPT}
OPTIMIZERS: dict[type[torch.optim.Optimizer], float] = {
    torch.optim.SGD: 0.1,
    torch.optim.Adam: 1e-2,
}


def row(name: str, p: Parametrisation, optimizer: type[torch.optim.Optimizer]) -> dict[str, object]:
    """One line of the table."""
    widths, build, began = WIDTHS[name], ARCHITECTURES[name], time.process_time()

    def made(n: int) -> tuple[nn.Module, torch.optim.Optimizer]:
        model, base = build(n), build(widths[0] // BASE)
        return model, parametrise(model, base, p, optimizer, OPTIMIZERS[optimizer])

    seeds = SEEDS[name]
    check = width_check(made, data_of(name), widths=widths, seeds=seeds, steps=1, confirm=False)
    pairs: list[tuple[Exponent, float, str]] = []
    for layer in check.layers:
        known = layer.theory[p.name]
        pairs.append((layer.activation, known.activation, f"{layer.name} activation"))
        pairs.append((layer.update, known.update, f"{layer.name} update"))
        pairs.append((layer.logits, known.logits, f"{layer.name} logits"))
    worst = max(pairs, key=lambda pair: abs(pair[0].value - pair[1]))
    return {
        "architecture": name,
        "parametrisation": p.name,
        "optimizer": optimizer.__name__,
        "verdict": check.status.value,
        "exponents": len(pairs),
        "covered": sum(_contains(e, known) for e, known, _ in pairs),
        "within 0.1": sum(abs(e.value - known) <= 0.1 for e, known, _ in pairs),
        "half width": round(statistics.median(_half_width(e) for e, _, _ in pairs), 3),
        "worst": f"{worst[2]}: {worst[0]}, theory {worst[1]:+.1f}",
        "seconds": round(time.process_time() - began, 1),
    }


def _contains(exponent: Exponent, known: float) -> bool:
    return exponent.limit is not None and exponent.limit.low <= known <= exponent.limit.high


def _half_width(exponent: Exponent) -> float:
    assert exponent.limit is not None, "sizes are positive and finite"
    return (exponent.limit.high - exponent.limit.low) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", choices=ARCHITECTURES, help="one architecture")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    for name in ARCHITECTURES if options.only is None else (options.only,):
        for p in PARAMETRISATIONS:
            for optimizer in OPTIMIZERS:
                rows.append(row(name, p, optimizer))
                print("  ".join(f"{value!s:<11}" for value in rows[-1].values()), flush=True)
    if options.json is not None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({"exponents": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
