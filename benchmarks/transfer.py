"""Learning-rate sweeps over the width, standard parametrisation against muP, on real data.

An MLP on MNIST, a CNN on Fashion-MNIST and a small GPT on tiny Shakespeare are trained with AdamW
for a few steps on fresh samples, at learning rates a factor of two apart. For the MLP, batch size,
weight decay and number of steps are changed, too. The score is the loss on samples of the test set.
muP takes the smallest width as its base, where both parametrisations are the same network. Every
run is added to the run file as it ends, so an interrupted benchmark goes on where it stopped.

    python benchmarks/transfer.py [--only MLP] [--file benchmarks/transfer_runs/runs.json]
    python benchmarks/transfer.py --table
"""

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transfer_table import table

from corollary.data.real import fashion_mnist, mnist, tinyshakespeare
from corollary.train.scaling.mup import mup

FILE = Path(__file__).parent / "transfer_runs" / "runs.json"
WIDTHS = {"MLP": (128, 256, 512, 1024, 2048), "CNN": (16, 32, 64, 128, 256), "GPT": (64, 128, 256)}
RATES = {"MLP": range(-13, -4), "CNN": range(-12, -3), "GPT": range(-12, -3)}  # powers of 2
SEEDS = {"MLP": 3, "CNN": 1, "GPT": 1}
STEPS = {"MLP": 100, "CNN": 60, "GPT": 80}
BATCH = {"MLP": 64, "CNN": 32, "GPT": 8}
OTHER = [{"batch": 16}, {"batch": 256}, {"decay": 0.1}, {"decay": 1.0}, {"steps": 25}]
OTHER += [{"steps": 400}]
ENDS = (128, 1024)  # widths of the other settings
LENGTH, HEAD = 32, 32  # characters of a sample; size of an attention head
LOST = 10.0  # a loss beyond this has diverged


@dataclass(frozen=True)
class Setting:
    """What one run is."""

    network: str
    parametrisation: str
    width: int
    rate: int  # power of 2
    seed: int
    batch: int
    steps: int
    decay: float = 0.0


def mlp(n: int) -> nn.Module:
    return nn.Sequential(
        nn.Flatten(), nn.Linear(784, n), nn.ReLU(), nn.Linear(n, n), nn.ReLU(), nn.Linear(n, 10)
    )


def cnn(n: int) -> nn.Module:
    first, second = nn.Conv2d(1, n, 3, stride=2, padding=1), nn.Conv2d(n, n, 3, padding=1)
    pool = [nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), *pool, nn.Linear(n, 10))


class Block(nn.Module):
    """Attention and an MLP behind norms, each added to its input."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(n), nn.LayerNorm(n)])
        self.qkv, self.out = nn.Linear(n, 3 * n), nn.Linear(n, n)
        self.mlp = nn.Sequential(nn.Linear(n, 4 * n), nn.GELU(), nn.Linear(4 * n, n))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(self.norms[0](x)).unflatten(-1, (3, -1, HEAD)).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        return x + self.mlp(self.norms[1](x))


class GPT(nn.Module):
    """Two blocks on characters; the number of heads grows with the width."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.token, self.place = nn.Embedding(65, n), nn.Embedding(LENGTH, n)
        self.blocks = nn.Sequential(Block(n), Block(n), nn.LayerNorm(n))
        self.head = nn.Linear(n, 65)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.token(ids) + self.place.weight[: ids.shape[1]]
        return self.head(self.blocks(x)).transpose(1, 2)  # classes on the second axis


NETWORKS: dict[str, Callable[[int], nn.Module]] = {"MLP": mlp, "CNN": cnn, "GPT": GPT}


def data_of(name: str) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """Inputs and targets to train on, and those of the score."""
    if name == "GPT":
        text = tinyshakespeare()
        place = {c: k for k, c in enumerate(sorted(set(text)))}
        ids = torch.tensor([place[c] for c in text])
        rows = ids[: len(ids) // (LENGTH + 1) * (LENGTH + 1)].view(-1, LENGTH + 1)
        x, y = rows[:, :-1], rows[:, 1:]
        return (x[:-128], y[:-128]), (x[-128:], y[-128:])
    load = mnist if name == "MLP" else fashion_mnist
    (x, y), (x_test, y_test) = load("train"), load("test")
    x, x_test = x[:, None] - 0.3, x_test[:1000, None] - 0.3  # about the mean of either data set
    if name == "CNN":
        x, x_test = F.avg_pool2d(x[:20000], 2), F.avg_pool2d(x_test, 2)
        y = y[:20000]
    return (x, y), (x_test, y_test[:1000])


def made(s: Setting) -> tuple[nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(s.seed)
    build, rate = NETWORKS[s.network], 2.0**s.rate
    model = build(s.width)
    if s.parametrisation == "muP":
        found = mup(model, base=build(WIDTHS[s.network][0]))
        return model, found.optimizer(torch.optim.AdamW, lr=rate, weight_decay=s.decay)
    return model, torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=s.decay)


def trained(s: Setting, train: tuple[Tensor, Tensor], test: tuple[Tensor, Tensor]) -> float | None:
    """The loss on the test samples after the run; None if it has diverged."""
    model, optimizer = made(s)
    order = torch.randperm(len(train[0]), generator=torch.Generator().manual_seed(s.seed))
    for k in range(s.steps):
        chosen = order[torch.arange(k * s.batch, (k + 1) * s.batch) % len(order)]
        loss = F.cross_entropy(model(train[0][chosen]), train[1][chosen])
        if not float(loss.detach()) < LOST:
            return None
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        optimizer.step()
    with torch.no_grad():
        score = float(F.cross_entropy(model(test[0]), test[1]))
    return score if math.isfinite(score) else None


def settings(name: str) -> Iterator[Setting]:
    """All runs of one network, the cheap ones first."""
    for n in WIDTHS[name]:
        for p in ("standard", "muP"):
            for seed in range(SEEDS[name]):
                for rate in RATES[name]:
                    yield Setting(name, p, n, rate, seed, BATCH[name], STEPS[name])
    for other in OTHER if name == "MLP" else []:
        for n in ENDS:
            for rate in RATES[name]:
                about = {"batch": BATCH[name], "steps": STEPS[name]} | other
                yield Setting(name, "muP", n, rate, 0, **about)  # type: ignore[arg-type]  # by name


def run(names: list[str], path: Path) -> None:
    rows = json.loads(path.read_text()) if path.exists() else []
    done = {tuple(row["setting"].values()) for row in rows}
    for name in names:
        train, test = data_of(name)
        for setting in settings(name):
            if tuple(asdict(setting).values()) in done:
                continue
            began = time.process_time()
            loss = trained(setting, train, test)
            seconds = round(time.process_time() - began, 2)
            rows.append({"setting": asdict(setting), "loss": loss, "seconds": seconds})
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")
            print(setting, loss, seconds, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--file", type=Path, default=FILE)
    parser.add_argument("--only", choices=NETWORKS, help="one network")
    parser.add_argument("--table", action="store_true", help="print the tables, run nothing")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if not options.table:
        run(list(NETWORKS) if options.only is None else [options.only], options.file)
    print(table(json.loads(options.file.read_text())))


if __name__ == "__main__":
    main()
