"""Recurrent networks that are not shown the past."""

import torch
from torch import Tensor, nn
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.fourth.scores import answers_at_places
from real_bugs.fourth.tasks import codes, split
from real_bugs.scores import explained
from real_bugs.second.places import PlaceLoss

KIND = "sequences"


class Echo(nn.Module):
    """One number from the steps of a series that it is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn, self.head = nn.GRU(1, 32, batch_first=True), nn.Linear(32, 1)

    def forward(self, steps: Tensor) -> Tensor:
        return self.head(self.rnn(steps)[0][:, -1])


def one_step_at_a_time(broken: bool) -> Arguments:
    series = torch.randn(1300)
    shown = 1 if broken else 4
    x = series.unfold(0, shown, 1)[3 if broken else 0 :, :, None]  # the last steps up to now
    data, held_out = split(x, series[1:-2, None], 300)  # what was two steps ago
    model = Echo()
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=400,
    )


class Translator(nn.Module):
    """Reads a sequence, then says it again from what it remembers."""

    def __init__(self, told: bool, tokens: int = 6, length: int = 5, width: int = 48) -> None:
        super().__init__()
        self.token, self.place = nn.Embedding(tokens, width), nn.Embedding(length, width)
        self.encode = nn.GRU(width, width, batch_first=True)
        self.decode = nn.GRU(width, width, batch_first=True)
        self.head, self.told = nn.Linear(width, tokens), told

    def forward(self, ids: Tensor) -> Tensor:
        memory = self.encode(self.token(ids))[1]
        start = memory if self.told else torch.zeros_like(memory)
        return self.head(self.decode(self.place.weight.expand(len(ids), -1, -1), start)[0])


def decoder_starts_from_nothing(broken: bool) -> Arguments:
    text = codes(1300, 5, 6)
    data, held_out = split(text, text, 300)
    model = Translator(told=not broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=PlaceLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=500,
    )


BUGS = (
    Bug(
        "one step at a time",
        "https://datascience.stackexchange.com/questions/28086 (Learning a simple sequence with "
        "RNN (Keras))",
        KIND,
        "Every sample is a series of one step, and the number asked for was two steps earlier.",
        one_step_at_a_time,
        (
            "length|step|sequence|window|input|history|time|target",
            "one step|length 1|single|short|unrelated|not depend|no information|independent|noise|"
            "history|longer|of 1",
        ),
        explained,
        bad=0.2,
        good=0.9,
    ),
    Bug(
        "decoder starts from nothing",
        "neulab/xnmt#132 (Decoder is not initialized to final encoder state)",
        KIND,
        "The decoder starts with zeros in place of the last state of the encoder.",
        decoder_starts_from_nothing,
        (
            "input|encode|source|token|state",
            "not depend|ignore|unused|no gradient|not used|does not reach|independent|no effect|"
            "never used|without gradient|gets no|zero",
        ),
        answers_at_places,
        bad=0.4,
        good=0.8,
    ),
)
