"""Sequences: states, paddings and axes that are mixed up."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.second.places import PlaceLoss
from real_bugs.second.scores import pixel_accuracy
from real_bugs.second.tasks import patches
from real_bugs.tasks import motions, sentences

KIND = "tensors"


class BothWays(nn.Module):
    """A bidirectional recurrent classifier that joins its two last states."""

    def __init__(self, mixed: bool) -> None:
        super().__init__()
        self.rnn = nn.GRU(2, 16, batch_first=True, bidirectional=True)
        self.head, self.mixed = nn.Linear(32, 3), mixed

    def forward(self, x: Tensor) -> Tensor:
        _, last = self.rnn(x)  # directions, samples, width
        joined = last.reshape(len(x), -1) if self.mixed else last.transpose(0, 1).flatten(1)
        return self.head(joined)


def states_joined_by_view(broken: bool) -> Arguments:
    model = BothWays(mixed=broken)
    return dict(
        model=model,
        data=motions(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=150,
    )


class FirstValue(nn.Module):
    """A recurrent regression on the first value; it may go on from the state before."""

    def __init__(self, keeps: bool) -> None:
        super().__init__()
        self.rnn, self.out = nn.GRU(1, 16, batch_first=True), nn.Linear(16, 1)
        self.keeps = keeps
        self.state: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        start = self.state
        if not self.keeps or start is None or start.shape[1] != len(x):
            start = None
        out, last = self.rnn(x, start)
        self.state = last.detach()
        return self.out(out[:, -1])


def state_of_the_last_batch(broken: bool) -> Arguments:
    x = torch.randn(600, 6, 1)
    model = FirstValue(keeps=broken)
    return dict(
        model=model,
        data=(x, x[:, 0]),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=60,
        steps=300,
    )


def in_batches_of_sixty(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of the variance explained when it is used as it was trained."""
    out = torch.cat([model(piece) for piece in x.split(60)])
    return float(1 - (out - y).square().mean() / y.var())


class Reader(nn.Module):
    """A recurrent classifier of the last word, or of the last place even if it is padding."""

    def __init__(self, past_the_end: bool) -> None:
        super().__init__()
        self.words, self.rnn = nn.Embedding(41, 16), nn.LSTM(16, 24, batch_first=True)
        self.head, self.past_the_end = nn.Linear(24, 4), past_the_end

    def forward(self, ids: Tensor) -> Tensor:
        out, _ = self.rnn(self.words(ids))
        if self.past_the_end:
            return self.head(out[:, -1])
        last = (ids > 0).sum(1) - 1
        return self.head(out[torch.arange(len(ids)), last])


def last_place_is_padding(broken: bool) -> Arguments:
    x, y = sentences(length=8)
    x = F.pad(x + 1, (0, 60))
    model = Reader(past_the_end=broken)
    return dict(
        model=model,
        data=(x, y),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=150,
    )


class PixelClasses(nn.Module):
    """Logits of every pixel in one row, in the order of the mask or column by column."""

    def __init__(self, turned: bool) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU())
        self.head, self.turned = nn.Conv2d(8, 2, 3, padding=1), turned

    def forward(self, x: Tensor) -> Tensor:
        logits = self.head(self.body(x))  # n k height width
        rows = logits.transpose(1, 3) if self.turned else logits.permute(0, 2, 3, 1)
        return rows.flatten(1, 2)


def rows_and_columns_swapped(broken: bool) -> Arguments:
    x, mask = patches()
    model = PixelClasses(turned=broken)
    return dict(
        model=model,
        data=(x, mask.flatten(1).long()),
        loss=PlaceLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=32,
        steps=150,
    )


BUGS = (
    Bug(
        "states of two directions joined by view",
        "timbmg/Sentence-VAE#15",
        KIND,
        "The states of both directions are joined by view, which mixes samples of the batch.",
        states_joined_by_view,
        ("batch|sample|neighbour", "depend|mix|other|view|reshape|permut"),
        accuracy,
        bad=0.75,
        good=0.9,
    ),
    Bug(
        "state of the last batch",
        "nyu-mll/jiant-v1-legacy#345",
        KIND,
        "The hidden state goes on from one batch to the next, although they are unrelated.",
        state_of_the_last_batch,
        ("state|determin|same input|twice", "call|pass|batch|carr|reset|before"),
        in_batches_of_sixty,
        bad=0.7,
        good=0.9,
    ),
    Bug(
        "last place is padding",
        "thtrieu/qclass_dl#1",
        KIND,
        "The output of the last place is read, which is after sixty places of padding.",
        last_place_is_padding,
        ("padding|memory|forget|vanish", "sequence|step|time|length|position|early|first"),
        accuracy,
        bad=0.6,
        good=0.9,
    ),
    Bug(
        "rows and columns swapped",
        "hieuvmphan/REMINDER#6",
        KIND,
        "transpose(1, 3) brings the channels last but also swaps rows and columns of the pixels.",
        rows_and_columns_swapped,
        ("transpose|permute|swap|align|order", "pixel|row|target|label|position|mask"),
        pixel_accuracy,
        bad=0.75,
        good=0.9,
    ),
)
