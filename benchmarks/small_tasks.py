"""Twenty small training tasks: five networks on real data, each with four optimizers.

From logistic regression on raw pixels to a small transformer; a run takes about a second. The data
are scikit-learn's digits, MNIST, Fashion-MNIST and tiny Shakespeare.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from corollary.data.real import digits, fashion_mnist, mnist, tinyshakespeare
from corollary.train.trainer import fit

STEPS = 200
SCORED = 1000  # training samples of the final loss
LENGTH = 32  # characters of a sample
Optimizer = torch.optim.Optimizer

OPTIMIZERS: dict[str, Callable[..., Optimizer]] = {
    "SGD": torch.optim.SGD,
    "momentum": lambda p, lr: torch.optim.SGD(p, lr=lr, momentum=0.9),
    "RMSprop": torch.optim.RMSprop,
    "AdamW": torch.optim.AdamW,
}


class Small(nn.Module):
    """A transformer of one block on characters."""

    def __init__(self, n: int = 32, heads: int = 4) -> None:
        super().__init__()
        self.token, self.place = nn.Embedding(65, n), nn.Embedding(LENGTH, n)
        self.norms = nn.ModuleList([nn.LayerNorm(n), nn.LayerNorm(n), nn.LayerNorm(n)])
        self.qkv, self.out, self.heads = nn.Linear(n, 3 * n), nn.Linear(n, n), heads
        self.mlp = nn.Sequential(nn.Linear(n, 4 * n), nn.GELU(), nn.Linear(4 * n, n))
        self.head = nn.Linear(n, 65)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.token(ids) + self.place.weight[: ids.shape[1]]
        q, k, v = (
            self.qkv(self.norms[0](x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        x = x + self.mlp(self.norms[1](x))
        return self.head(self.norms[2](x)).transpose(1, 2)  # classes on the second axis


def _logistic() -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 10))


def _mlp() -> nn.Module:
    layers = [nn.Flatten(), nn.Linear(196, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(64, 10))


def _autoencoder() -> nn.Module:
    down = [nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 8), nn.Tanh()]
    return nn.Sequential(*down, nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 64))


def _cnn() -> nn.Module:
    first = [nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU()]
    second = [nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU()]
    return nn.Sequential(*first, *second, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(64, 10))


@cache
def data_of(network: str) -> tuple[Tensor, Tensor]:
    """Inputs and targets to train on."""
    if network == "transformer":
        text = tinyshakespeare()[:300_000]
        place = {c: k for k, c in enumerate(sorted(set(tinyshakespeare())))}
        ids = torch.tensor([place[c] for c in text])
        rows = ids[: len(ids) // (LENGTH + 1) * (LENGTH + 1)].view(-1, LENGTH + 1)
        return rows[:, :-1], rows[:, 1:]
    if network in ("logistic regression", "autoencoder"):
        x, y = digits("train")
        x = 16 * x.float()  # the raw pixels of the data set
        return (x, y) if network == "logistic regression" else (x.flatten(1) / 16,) * 2
    x, y = (mnist if network == "MLP" else fashion_mnist)("train")
    return F.avg_pool2d(x[:10_000, None], 2), y[:10_000]


@dataclass(frozen=True)
class Task:
    """A network, its data and loss, and an optimizer without its learning rate."""

    network: str
    optimizer: str
    build: Callable[[], nn.Module]
    loss: Callable[[Tensor, Tensor], Tensor]
    batch: int

    @property
    def data(self) -> tuple[Tensor, Tensor]:
        return data_of(self.network)

    def model(self, seed: int) -> nn.Module:
        torch.manual_seed(seed)
        return self.build()

    def made(self, parameters: Iterable[Tensor], lr: float = 1.0) -> Optimizer:
        return OPTIMIZERS[self.optimizer](parameters, lr=lr)

    def final_loss(
        self,
        lr: float,
        seed: int,
        *,
        steps: int = STEPS,
        batch: int | None = None,
        schedule: Callable[[int], float] | None = None,
    ) -> float:
        """The loss on training samples after a run; infinite if it has diverged."""
        model = self.model(seed)
        history = fit(
            model,
            self.data,
            self.loss,
            lambda parameters: self.made(parameters, lr),
            steps=steps,
            batch_size=batch or self.batch,
            rng=seed,
            schedule=schedule,
            on_nan="stop",
        )
        if history.diverged:
            return math.inf
        return self.score(model)

    def score(self, model: nn.Module) -> float:
        model.eval()
        with torch.no_grad():
            x, y = self.data
            value = float(self.loss(model(x[:SCORED]), y[:SCORED]))
        return value if math.isfinite(value) else math.inf


def tasks() -> Iterator[Task]:
    """All of them, network by network."""
    cross_entropy, mse = F.cross_entropy, F.mse_loss
    rows = [
        ("logistic regression", _logistic, cross_entropy, 32),
        ("autoencoder", _autoencoder, mse, 32),
        ("MLP", _mlp, cross_entropy, 64),
        ("CNN", _cnn, cross_entropy, 32),
        ("transformer", Small, cross_entropy, 16),
    ]
    for network, build, loss, batch in rows:
        for optimizer in OPTIMIZERS:
            yield Task(network, optimizer, build, loss, batch)
