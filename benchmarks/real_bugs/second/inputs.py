"""Inputs: scaled, coded or read in another way than the network needs."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy, explained
from real_bugs.second.tasks import UNKNOWN, clothes, reviews
from real_bugs.tasks import mlp

KIND = "preprocessing"


def pixels_of_bytes(broken: bool) -> Arguments:
    (x, y), _ = clothes()
    model = nn.Sequential(nn.Flatten(), *mlp(196, 10, width=64, depth=1))
    return dict(
        model=model,
        data=(255 * x if broken else x, y),
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.1),
        batch_size=64,
        steps=400,
    )


def only_training_standardised(broken: bool) -> Arguments:
    (x, y), (x_test, y_test) = clothes()
    mean, std = x.mean(), x.std()
    model = nn.Sequential(nn.Flatten(), *mlp(196, 10, width=64))
    return dict(
        model=model,
        data=((x - mean) / std, y),
        held_out=(x_test if broken else (x_test - mean) / std, y_test),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=2e-3),
        batch_size=64,
        steps=200,
    )


class WordConvolution(nn.Module):
    """Word vectors, a convolution along the sentence, the largest answer of each filter."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(602, 16, padding_idx=0)
        self.conv, self.head = nn.Conv1d(16, 24, 3, padding=1), nn.Linear(24, 2)

    def forward(self, ids: Tensor) -> Tensor:
        h = F.relu(self.conv(self.words(ids).transpose(1, 2)))
        return self.head(h.amax(2))


def all_words_unknown(broken: bool) -> Arguments:
    x, y = reviews()
    model = WordConvolution()
    return dict(
        model=model,
        data=(torch.where(x > 0, UNKNOWN, 0) if broken else x, y),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=150,
    )


def times_in_single_precision(broken: bool) -> Arguments:
    second = torch.rand(800, 1, dtype=torch.float64) * 1200 + 1_718_200_000
    y = torch.sin(2 * math.pi * (second - 1_718_200_000) / 400).float()
    start = second.mean()
    past = second.float() - start.float() if broken else (second - start).float()
    model = mlp(1, 1, width=64)
    return dict(
        model=model,
        data=(past / 120, y),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=800,
    )


def category_as_a_number(broken: bool) -> Arguments:
    role = torch.randint(60, (900,))
    kind = torch.randint(4, (60,))[role]  # what a role means has nothing to do with its number
    x = (role[:, None] / 60).float() if broken else F.one_hot(role, 60).float()
    model = mlp(1 if broken else 60, 4)
    return dict(
        model=model,
        data=(x, kind),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=300,
    )


BUGS = (
    Bug(
        "clothes in bytes",
        "https://stats.stackexchange.com/questions/372762",
        KIND,
        "Pixels from 0 to 255 are given as they are: accuracy falls from 85 % to chance.",
        pixels_of_bytes,
        ("input|pixel|feature", "scale|255|divide|standardi|normali|large"),
        accuracy,
        bad=0.5,
        good=0.75,
    ),
    Bug(
        "only training pictures standardised",
        "JeasunLok/ResNet-pytorch#1",
        KIND,
        "The pictures to test on miss the standardisation that the training pictures got.",
        only_training_standardised,
        ("held-out|held out|test", "scale|distribution|shift|standardi|differ|mean"),
        accuracy,
        bad=0.7,
        good=0.77,
    ),
    Bug(
        "all words unknown",
        "tensorflow/models#744",
        KIND,
        "No word is found in the vocabulary: sentences differ in nothing but their length.",
        all_words_unknown,
        ("input|sample|sentence", "duplicate|same input|identical|constant|contradict|equal"),
        accuracy,
        bad=0.65,
        good=0.85,
    ),
    Bug(
        "times in single precision",
        "CMBSciPol/furax#145",
        KIND,
        "Seconds since 1970 are rounded to 128 seconds by float32 before the start is subtracted.",
        times_in_single_precision,
        ("input|sample|feature", "precision|rounded|rounding|duplicate|identical|float32|distinct"),
        explained,
        bad=0.75,
        good=0.9,
    ),
    Bug(
        "category as a number",
        "src-d/style-analyzer#92",
        KIND,
        "Sixty roles are given as one number, although their order means nothing.",
        category_as_a_number,
        ("one-hot|embed|categor|frequen|rapid|wiggl",),
        accuracy,
        bad=0.7,
        good=0.95,
    ),
)
