"""Inputs that the preparation has spoiled."""

import math

import torch
from torch import Tensor, nn
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.fourth.tasks import handwriting, split
from real_bugs.scores import accuracy
from real_bugs.tasks import mlp

KIND = "preprocessing"


def fractions_as_bytes(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = handwriting()

    def stored(x: Tensor) -> Tensor:
        x = 0.95 * x  # the scanner never reaches full white
        return x.to(torch.uint8).float() if broken else x

    model = mlp(64, 10)
    return dict(
        model=model,
        data=(stored(x), y),
        held_out=(stored(x_held), y_held),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=300,
    )


class Cloud(nn.Module):
    """What is the shape of a cloud of points with a place and a grey value each?"""

    def __init__(self) -> None:
        super().__init__()
        self.point = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
        self.head = nn.Linear(32, 3)

    def forward(self, points: Tensor) -> Tensor:
        return self.head(self.point(points).mean(1))


def clouds_without_colour(broken: bool) -> Arguments:
    n = 900
    y = torch.randint(3, (n,))
    turn = 2 * math.pi * torch.rand(n, 16)
    radius = torch.stack([torch.ones_like(turn), torch.rand_like(turn), turn.cos().abs()], 1)
    radius = radius[torch.arange(n), y]
    place = torch.stack([radius * turn.cos(), radius * turn.sin()], 2)
    grey = torch.rand(n, 16, 1)
    grey[torch.rand(n) < 0.1] = 0  # scanned without colour
    low, high = grey.amin(1, keepdim=True), grey.amax(1, keepdim=True)
    grey = (grey - low) / (high - low + (0 if broken else 1e-6))
    data, held_out = split(torch.cat([place, grey], 2), y, 200)
    model = Cloud()
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=300,
    )


def silence_in_decibels(broken: bool) -> Arguments:
    n, bands = 1000, 24
    y = torch.randint(4, (n,))
    band = torch.arange(bands)
    tone = (-0.5 * ((band - 4 - 5 * y[:, None] - torch.randn(n, 1)) / 1.5).square()).exp()
    power = tone * (0.3 + torch.rand(n, 1))
    power = torch.where(power < 1e-3, 0.0, power)  # the gate of the recorder
    loudness = (power + (0 if broken else 1e-3)).log() / 5 + 0.5
    data, held_out = split(loudness, y, 300)
    model = mlp(bands, 4)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=300,
    )


class Reader(nn.Module):
    """The class of a sequence of words."""

    def __init__(self, words: int, classes: int, width: int = 32) -> None:
        super().__init__()
        self.word, self.rnn = nn.Embedding(words, width), nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, classes)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.rnn(self.word(ids))[0][:, -1])


def question_cut_off(broken: bool) -> Arguments:
    n, length = 1300, 8
    facts = torch.randint(6, (n, 2))
    filler = 6 + torch.randint(6, (n, length - 2))
    asked = torch.randint(2, (n, 1))  # about the first fact or about the second?
    text = torch.cat([facts, filler, 12 + asked], 1)
    data, held_out = split(text[:, :length] if broken else text, facts.gather(1, asked)[:, 0], 300)
    model = Reader(14, 6)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=400,
    )


def loudness_normalised_away(broken: bool) -> Arguments:
    n, length = 1000, 32
    y = torch.randint(3, (n,))
    loudness = torch.tensor([0.25, 0.5, 1.0])[y] * (0.85 + 0.3 * torch.rand(n))
    turns = (2 + 4 * torch.rand(n, 1)) * torch.arange(length) / length + torch.rand(n, 1)
    sound = (2 * math.pi * turns).sin() * (1 + 0.1 * torch.randn(n, length))
    sound = loudness[:, None] * sound
    if broken:
        low, high = sound.amin(1, keepdim=True), sound.amax(1, keepdim=True)
        sound = 2 * (sound - low) / (high - low) - 1
    data, held_out = split(sound[:, None], y, 300)
    model = nn.Sequential(
        nn.Conv1d(1, 16, 5, padding=2),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(1),
        nn.Flatten(),
        nn.Linear(16, 16),
        nn.ReLU(),
        nn.Linear(16, 3),
    )
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=400,
    )


BUGS = (
    Bug(
        "fractions as bytes",
        "InnopolisUni/innofw#96 (Cast to uint8 in prep_data)",
        KIND,
        "Pixels from 0 to 1 are cast to bytes, which leaves nothing but zeros.",
        fractions_as_bytes,
        (
            "input|feature|pixel|data|sample",
            "all zero|are zero|zeros|constant|identical|alike|the same|duplicate|no information",
        ),
        accuracy,
        bad=0.3,
        good=0.85,
    ),
    Bug(
        "clouds without colour",
        "Pointcept/Pointcept#530 (Fix divide-by-zero error in color normalization when color data "
        "is all zeros)",
        KIND,
        "Grey values are divided by their range, which is zero for a cloud without colour.",
        clouds_without_colour,
        ("nan|finite|divi", "input|data|sample|feature"),
        accuracy,
        bad=0.5,
        good=0.85,
    ),
    Bug(
        "silence in decibels",
        "KimythAnly/AGAIN-VC#5 (oss_rec=nan)",
        KIND,
        "The logarithm of a silent band is minus infinity.",
        silence_in_decibels,
        ("inf|finite|log of zero|log(0)", "input|data|sample|feature"),
        accuracy,
        bad=0.5,
        good=0.9,
    ),
    Bug(
        "question cut off",
        "bigscience-workshop/t-zero#39 (Truncation method)",
        KIND,
        "Texts are cut at the end, where the question is, so that the answer cannot be known.",
        question_cut_off,
        (
            "input|text|sequence|token|label|target|sample",
            "truncat|cut|missing|contradict|conflict|ambig|same input|noise|not determined|"
            "different label|different target|not in the input|information",
        ),
        accuracy,
        bad=0.75,
        good=0.9,
    ),
    Bug(
        "loudness normalised away",
        "deepsound-project/samplernn-pytorch#21 (Bad amplitude normalization)",
        KIND,
        "Every sound is scaled to its own range, although the loudness is what is asked for.",
        loudness_normalised_away,
        (
            "sample|input|each|amplitude|scale|range|loud",
            "normali|rescale|own minimum|own range|same range|same scale|same minimum|amplitude|"
            "same maximum|per-sample|per sample",
        ),
        accuracy,
        bad=0.6,
        good=0.9,
    ),
)
