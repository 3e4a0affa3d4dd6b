"""Ten small networks, sound ones and faulty ones, some trained: arguments of ``examine``."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from corollary.data import digits, tinyshakespeare
from corollary.train import fit

Built = dict[str, Any]


class LastState(nn.Module):
    """The end of a recurrent layer, read by a linear one."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.head = nn.LSTM(8, 32, batch_first=True), nn.Linear(32, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(x)[0][:, -1])


class Letters(nn.Module):
    """A causal transformer of one block over characters."""

    def __init__(self, vocabulary: int, context: int, d: int = 32) -> None:
        super().__init__()
        self.table, self.positions = nn.Embedding(vocabulary, d), nn.Embedding(context, d)
        self.block = nn.TransformerEncoderLayer(d, 4, 4 * d, 0.0, batch_first=True, norm_first=True)
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, vocabulary)
        self.register_buffer("mask", torch.full((context, context), -torch.inf).triu(1))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.table(ids) + self.positions.weight[: ids.shape[1]]
        n = ids.shape[1]
        return self.head(self.norm(self.block(x, self.mask[:n, :n]))).transpose(1, 2)


def mlp(*between: nn.Module) -> nn.Sequential:
    """64 to 10, with 64 units."""
    return nn.Sequential(nn.Linear(64, 64), *between, nn.ReLU(), nn.Linear(64, 10))


def on_digits(model: nn.Module, shape: tuple[int, ...] = (64,), scale: float = 1.0) -> Built:
    """A classifier of digits, trained by Adam in batches of 32."""
    data, held_out = ((x.reshape(-1, *shape).float() * scale, y) for x, y in map(digits, SPLITS))
    how = {"loss": nn.CrossEntropyLoss(), "optimizer": "adam:lr=0.001", "batch_size": 32}
    return {"model": model, "data": data, "held_out": held_out, "epochs": 10, **how}


def trained(built: Built, steps: int = 400) -> Built:
    """The same after a training."""
    adam, loss = partial(torch.optim.Adam, lr=1e-3), built["loss"]
    fit(built["model"], built["data"], loss, adam, steps=steps, batch_size=32, rng=0)
    return built


def cnn() -> Built:
    """Two convolutions and a linear layer."""
    layers = (
        *(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(128, 10)),
    )
    return on_digits(nn.Sequential(*layers), (1, 8, 8))


def letters(context: int = 32) -> Built:
    """The next character of Shakespeare."""
    text = tinyshakespeare()
    known = {c: k for k, c in enumerate(sorted(set(text)))}
    ids = torch.tensor([known[c] for c in text[: 1024 * (context + 1)]]).view(-1, context + 1)
    how = {"loss": nn.CrossEntropyLoss(), "optimizer": "adamw:lr=0.001", "batch_size": 32}
    return {"model": Letters(len(known), context), "data": (ids[:, :-1], ids[:, 1:]), **how}


def regression() -> Built:
    """A smooth function of eight numbers, with noise."""
    rng = torch.Generator().manual_seed(1)
    x = torch.randn(512, 8, generator=rng)
    y = x[:, :1].sin() + x[:, 1:2] * x[:, 2:3] + 0.1 * torch.randn(512, 1, generator=rng)
    model = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 1))
    how = {"loss": nn.MSELoss(), "optimizer": "sgd:lr=0.05,momentum=0.9", "batch_size": 32}
    return {"model": model, "data": (x, y), "steps": 500, **how}


def too_fast() -> Built:
    """A learning rate far too large."""
    return on_digits(mlp()) | {"optimizer": "sgd:lr=30.0"}


SPLITS = "train", "test"
SMALL: dict[str, Callable[[], Built]] = {
    "MLP on digits": lambda: on_digits(mlp()),
    "CNN on digits": cnn,
    "MLP, trained": lambda: trained(on_digits(mlp())),
    "CNN, trained": lambda: trained(cnn()),
    "batch norm": lambda: on_digits(mlp(nn.BatchNorm1d(64))),
    "LSTM over rows": lambda: on_digits(LastState(), (8, 8)),
    "transformer on letters": letters,
    "regression": regression,
    "softmax before the loss": lambda: on_digits(nn.Sequential(*mlp(), nn.Softmax(1))),
    "learning rate of 30": too_fast,
}
