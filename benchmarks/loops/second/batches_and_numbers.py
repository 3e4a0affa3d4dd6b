"""What the batches hold, and numbers that break."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam
from torch.utils.data import DataLoader

from loops.material import cnn, digits, mlp
from loops.planted import Bug, Watch
from loops.second.material import Recurrent, batches, series, table


def recorded_one_class_after_another(watch: Watch, broken: bool) -> None:
    model = Recurrent()
    optimizer = Adam(model.parameters(), lr=3e-3)
    x, y = series()
    order = y.argsort(stable=True)
    watch(model, optimizer)
    data = batches(x[order], y[order], size=32, shuffle=not broken)
    for _ in range(4):
        for a, b in data:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()


def two_loaders_shuffle_apart(watch: Watch, broken: bool) -> None:
    model = cnn()
    optimizer = SGD(model.parameters(), lr=0.02)
    x, y = digits(images=True)
    watch(model, optimizer)
    for _ in range(8):
        if broken:
            apart = (DataLoader(part, 64, shuffle=True) for part in (x, y))
            pairs = zip(*apart, strict=True)
        else:
            pairs = iter(batches(x, y))
        for a, b in pairs:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()


def one_batch_kept_from_debugging(watch: Watch, broken: bool) -> None:
    model = mlp(8, 1)
    optimizer = Adam(model.parameters(), lr=3e-3)
    data = batches(*table())
    if broken:
        data = [next(iter(data))] * len(data)  # "first see whether it learns one batch"
    watch(model, optimizer)
    for _ in range(8):
        for x, y in data:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()


class Spread(nn.Module):
    """A mean and a variance, which is kept positive or hoped to be."""

    def __init__(self, positive: bool) -> None:
        super().__init__()
        self.body, self.positive = mlp(8, 2), positive

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        mean, raw = self.body(x).chunk(2, 1)
        return mean, F.softplus(raw) + 1e-3 if self.positive else raw + 1.0


def variance_below_zero(watch: Watch, broken: bool) -> None:
    model = Spread(positive=not broken)
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    for _ in range(6):
        for x, y in batches(*table()):
            mean, variance = model(x)
            loss = (variance.log() + (y - mean).square() / variance).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


class Pooled(nn.Module):
    """Attention over the words that are there; a sentence may have none."""

    def __init__(self, guarded: bool) -> None:
        super().__init__()
        self.words, self.score = nn.Embedding(40, 16), nn.Linear(16, 1)
        self.head, self.guarded = nn.Linear(16, 4), guarded

    def forward(self, ids: Tensor) -> Tensor:
        h, there = self.words(ids), ids > 0
        if self.guarded:
            there = there | ~there.any(1, keepdim=True)
        weight = self.score(h).squeeze(-1).masked_fill(~there, -torch.inf).softmax(1)
        return self.head((weight[..., None] * h).sum(1))


def empty_sentence(watch: Watch, broken: bool) -> None:
    model = Pooled(guarded=not broken)
    optimizer = Adam(model.parameters(), lr=3e-3)
    y = torch.randint(4, (640,))
    ids = 1 + 9 * y[:, None] + torch.randint(9, (640, 10))
    ids[torch.arange(10) >= torch.randint(2, 11, (640, 1))] = 0
    ids[500] = 0
    watch(model, optimizer)
    for _ in range(5):
        for a, b in batches(ids, y, size=32):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()


BUGS = (
    Bug(
        "recorded one class after another",
        ("data/sorted_labels",),
        recorded_one_class_after_another,
    ),
    Bug("two loaders shuffle apart", ("data/nothing_learned",), two_loaders_shuffle_apart),
    Bug(
        "one batch kept from debugging",
        ("data/repeated_batch",),
        one_batch_kept_from_debugging,
    ),
    Bug("variance below zero", ("loss/not_finite", "gradient/not_finite"), variance_below_zero),
    Bug("empty sentence", ("loss/not_finite", "gradient/not_finite"), empty_sentence),
)
