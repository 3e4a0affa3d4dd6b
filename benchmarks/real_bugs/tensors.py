"""Tensors and axes: softmax, reshaping, time and masks along the wrong axis."""

import torch
from torch import Tensor, nn
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.tasks import motions

KIND = "tensors and axes"


class Lookup(nn.Module):
    """Attention of one query over the rows of a context."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.query, self.key, self.head = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(4, 4)
        self.dim = dim

    def forward(self, x: Tensor) -> Tensor:
        asked, keys, values = x[:, 0, :8], x[:, 1:, :8], x[:, 1:, 8:]
        score = (self.key(keys) @ self.query(asked)[:, :, None])[:, :, 0]
        weight = torch.softmax(score, dim=self.dim)  # (n, rows)
        return self.head((weight[:, :, None] * values).sum(1))


def dictionaries(n: int = 800, rows: int = 5) -> tuple[Tensor, Tensor]:
    """Rows of key and value; the first row asks for one of the keys, the answer is its value."""
    keys = torch.stack([torch.eye(8)[torch.randperm(8)[:rows]] for _ in range(n)])
    answers = torch.randint(4, (n, rows))
    values = torch.eye(4)[answers]
    which = torch.randint(rows, (n,))
    asked = keys[torch.arange(n), which]
    question = torch.cat([asked, torch.zeros(n, 4)], 1)[:, None]
    return torch.cat([question, torch.cat([keys, values], 2)], 1), answers[torch.arange(n), which]


def softmax_over_the_batch(broken: bool) -> Arguments:
    model = Lookup(dim=0 if broken else -1)
    return dict(
        model=model,
        data=dictionaries(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.02),
        batch_size=64,
        steps=400,
    )


class StepTagger(nn.Module):
    """Convolutions over time, then one answer for each time step."""

    def __init__(self, view: bool) -> None:
        super().__init__()
        self.conv, self.head = nn.Conv1d(4, 16, 3, padding=1), nn.Linear(16, 3)
        self.view = view

    def forward(self, x: Tensor) -> Tensor:
        h = torch.relu(self.conv(x))  # (n, channels, time)
        n, channels, time = h.shape
        h = h.view(n, time, channels) if self.view else h.permute(0, 2, 1)
        return self.head(h).permute(0, 2, 1)  # (n, classes, time)


def step_accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    return float((model(x).argmax(1) == y).float().mean())


def view_for_permute(broken: bool) -> Arguments:
    x = torch.randn(400, 4, 24)
    y = (x[:, 0] > 0.3).long() + (x[:, 1] > 0).long()
    model = StepTagger(view=broken)
    return dict(
        model=model,
        data=(x, y),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=32,
        steps=200,
    )


class MotionNet(nn.Module):
    """A recurrent classifier of series of shape (n, time, sensors)."""

    def __init__(self, batch_first: bool) -> None:
        super().__init__()
        self.reader = nn.LSTM(2, 24, batch_first=batch_first)
        self.head = nn.Linear(24, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.reader(x)[0][:, -1])


def batch_taken_for_time(broken: bool) -> Arguments:
    model = MotionNet(batch_first=not broken)
    return dict(
        model=model,
        data=motions(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.02),
        batch_size=32,
        steps=200,
    )


class SmallDecoder(nn.Module):
    """One attention layer that predicts each next token, with or without a causal mask."""

    def __init__(self, causal: bool, tokens: int = 12, length: int = 12) -> None:
        super().__init__()
        self.token, self.place = nn.Embedding(tokens, 32), nn.Embedding(length, 32)
        self.block = nn.TransformerEncoderLayer(32, 2, 64, dropout=0.0, batch_first=True)
        self.head, self.causal = nn.Linear(32, tokens), causal

    def forward(self, ids: Tensor) -> Tensor:
        time = ids.shape[1]
        h = self.token(ids) + self.place.weight[:time]
        mask = nn.Transformer.generate_square_subsequent_mask(time) if self.causal else None
        return self.head(self.block(h, src_mask=mask)).permute(0, 2, 1)


def counting(n: int = 400, length: int = 12) -> tuple[Tensor, Tensor]:
    """Sequences that go up by one, two or three with a slip in every fourth place."""
    stride = torch.randint(1, 4, (n, length + 1))
    ids = (torch.randint(12, (n, 1)) + stride.cumsum(1)) % 12
    slip = torch.rand(n, length + 1) < 0.75
    plain = (ids[:, :1] + torch.arange(length + 1)) % 12
    ids = torch.where(slip, plain, ids)
    return ids[:, :-1], ids[:, 1:]


def generated_accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Right next tokens when only the tokens so far are there, as in generation."""
    right = [(model(x[:, :t])[:, :, -1].argmax(1) == y[:, t - 1]).float() for t in range(2, 12)]
    return float(torch.stack(right).mean())


def no_causal_mask(broken: bool) -> Arguments:
    model = SmallDecoder(causal=not broken)
    return dict(
        model=model,
        data=counting(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=32,
        steps=300,
    )


BUGS = (
    Bug(
        "softmax over the batch",
        "PetrochukM/PyTorch-NLP#2",
        KIND,
        "The attention weights are normalised along the batch instead of along the context.",
        softmax_over_the_batch,
        ("batch", "depend|sample|neighbour|softmax|mix"),
        accuracy,
        bad=0.75,
        good=0.9,
    ),
    Bug(
        "view in place of permute",
        "vitrioil/Speech-Separation#4",
        KIND,
        "Channels and time are swapped by view, which mixes features of different times.",
        view_for_permute,
        ("view|reshape|permute|transpose",),
        step_accuracy,
        bad=0.8,
        good=0.93,
    ),
    Bug(
        "batch taken for time",
        "ray075hl/Bi-Model-Intent-And-Slot#2",
        KIND,
        "The recurrent layer lacks batch_first and runs along the batch.",
        batch_taken_for_time,
        ("batch", "depend|time|batch_first|neighbour|mix"),
        accuracy,
        bad=0.75,
        good=0.9,
    ),
    Bug(
        "no causal mask",
        "alex-matton/causal-transformer-decoder#1",
        KIND,
        "A decoder without a mask copies the next token in training and cannot generate.",
        no_causal_mask,
        ("causal|future|mask",),
        generated_accuracy,
        bad=0.4,
        good=0.5,
    ),
)
