"""Recurrent and convolutional networks that do not see the whole sequence."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.tasks import motions
from real_bugs.third.tasks import split, told_first

KIND = "sequences"


class Cells(nn.Module):
    """An LSTM cell along the series; its state may be left as it was."""

    def __init__(self, keeps_state: bool, width: int = 24) -> None:
        super().__init__()
        self.cell, self.head = nn.LSTMCell(2, width), nn.Linear(width, 3)
        self.keeps_state = keeps_state

    def forward(self, x: Tensor) -> Tensor:
        state = (x.new_zeros(len(x), self.head.in_features),) * 2
        for moment in x.unbind(1):
            new = self.cell(moment, state)
            state = new if self.keeps_state else state
        return self.head(new[0])


def state_never_updated(broken: bool) -> Arguments:
    data, held_out = split(*motions(n=900), train=700)
    model = Cells(keeps_state=not broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=200,
    )


class BothWays(nn.Module):
    """A recurrent layer in both directions, read at its end or at both of its ends."""

    def __init__(self, both_ends: bool, width: int = 24) -> None:
        super().__init__()
        self.rnn = nn.GRU(4, width, batch_first=True, bidirectional=True)
        self.head, self.both_ends = nn.Linear(2 * width, 4), both_ends

    def forward(self, x: Tensor) -> Tensor:
        out, state = self.rnn(x)
        return self.head(torch.cat([state[0], state[1]], 1) if self.both_ends else out[:, -1])


def backward_read_at_the_end(broken: bool) -> Arguments:
    data, held_out = told_first(length=60)
    model = BothWays(both_ends=not broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=100,
    )


class Causal(nn.Module):
    """Convolutions of width 2 over the past, each with its own dilation."""

    def __init__(self, dilations: tuple[int, ...], width: int = 24) -> None:
        super().__init__()
        widths = [4, *[width] * len(dilations)]
        self.layers = nn.ModuleList(
            nn.Conv1d(a, b, 2, dilation=d)
            for a, b, d in zip(widths, widths[1:], dilations, strict=False)
        )
        self.head = nn.Linear(width, 4)

    def forward(self, x: Tensor) -> Tensor:
        h = x.transpose(1, 2)
        for layer in self.layers:
            h = F.relu(layer(F.pad(h, (layer.dilation[0], 0))))
        return self.head(h[:, :, -1])


def beginning_out_of_sight(broken: bool) -> Arguments:
    data, held_out = told_first(length=32)
    model = Causal((1, 1, 1, 1, 1) if broken else (1, 2, 4, 8, 16))
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=250,
    )


BUGS = (
    Bug(
        "state never updated",
        "ChenRocks/fast_abs_rl#14",
        KIND,
        "The loop over time never stores the new state, so that only the last step is seen.",
        state_never_updated,
        (
            "time|step|past|earl|position|sequence|history|memory|recurren|state",
            "not depend|ignore|only|no effect|not reach|forget|last|never|does not use|no memory",
        ),
        accuracy,
        bad=0.6,
        good=0.85,
    ),
    Bug(
        "backward direction read at the end",
        "yunjey/pytorch-tutorial#149",
        KIND,
        "The output at the last step is read, where the backward direction has seen one step only.",
        backward_read_at_the_end,
        (
            "backward|reverse|direction|first|earl|beginning|start|position|time step|memory",
            "only|last|ignore|depend|no effect|reach|forget|vanish|one step|memory|far",
        ),
        accuracy,
        bad=0.6,
        good=0.85,
    ),
    Bug(
        "beginning out of sight",
        "philipperemy/keras-tcn#8",
        KIND,
        "Five convolutions without dilation see six steps of 32, but the first step matters.",
        beginning_out_of_sight,
        (
            "receptive|earl|past|first|far|position|time step|beginning|sequence",
            "small|short|cover|not depend|reach|ignore|no effect|dilat|never|only",
        ),
        accuracy,
        bad=0.5,
        good=0.85,
    ),
)
