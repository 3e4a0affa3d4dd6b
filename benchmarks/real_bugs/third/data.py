"""Training data: copies, labels and preparation that differ between training and test."""

import torch
from torch import Tensor, nn
from torch.optim import Adam
from torch.utils.data import DataLoader, TensorDataset

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.tasks import cnn, mlp
from real_bugs.third.tasks import coloured_blobs, numbers, products, split

KIND = "training data"


class Mirrored(TensorDataset):
    """Films of which some are mirrored whenever they are taken; their labels stay."""

    def __init__(self, films: Tensor, labels: Tensor, chance: float) -> None:
        super().__init__(films, labels)
        self.chance = chance

    def __getitem__(self, k: int) -> tuple[Tensor, ...]:
        film, label = super().__getitem__(k)
        return film.flip(-1) if torch.rand(()) < self.chance else film, label


def drifts(n: int = 700, frames: int = 4, size: int = 8) -> tuple[Tensor, Tensor]:
    """Films of a spot that moves to the left (0) or to the right (1)."""
    y = torch.arange(n) % 2
    start, row = torch.randint(size, (n,)), torch.randint(size, (n,))
    moment = torch.arange(frames)
    column = (start[:, None] + (2 * y - 1)[:, None] * moment) % size
    film = 0.1 * torch.randn(n, frames, size, size)
    film[torch.arange(n)[:, None], moment, row[:, None], column] += 1
    return film, y


def mirrored_films(broken: bool) -> Arguments:
    (x, y), held_out = split(*drifts(), train=500)
    model = nn.Sequential(
        nn.Conv2d(4, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 16, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveMaxPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 2),
    )
    return dict(
        model=model,
        data=DataLoader(Mirrored(x, y, 0.5 if broken else 0.0), batch_size=50, shuffle=True),
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=50,
        steps=200,
    )


def red_for_blue(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = coloured_blobs(ground=(0.2, 0.3, 0.5))
    x, x_held = (x.permute(0, 3, 1, 2).contiguous() for x in (x, x_held))
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 16, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 3),
    )
    return dict(
        model=model,
        data=(x, y),
        held_out=(x_held.flip(1) if broken else x_held, y_held),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=200,
    )


def scaled_by_themselves(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = products()
    x_held[0] = 6.0  # one broken sensor reading among the test samples

    def scaled(x: Tensor, by: Tensor) -> Tensor:
        low, high = by.amin(0), by.amax(0)
        return 2 * (x - low) / (high - low) - 1

    model = mlp(6, 2)
    return dict(
        model=model,
        data=(scaled(x, x), y),
        held_out=(scaled(x_held, x_held if broken else x), y_held),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=300,
    )


def folder_too_high(broken: bool) -> Arguments:
    (x, y), held_out = numbers(images=True)
    model = cnn()
    return dict(
        model=model,
        data=(x, torch.zeros_like(y) if broken else y),
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=150,
    )


BUGS = (
    Bug(
        "films mirrored, labels not",
        "open-mmlab/mmaction2#590",
        "preprocessing",
        "Films are mirrored at random, although their label is left or right.",
        mirrored_films,
        (
            "flip|mirror|augment|label|symmetr|invarian",
            "noise|noisy|contradict|inconsisten|conflict|change|wrong|flip|mirror|direction|both",
        ),
        accuracy,
        bad=0.65,
        good=0.9,
    ),
    Bug(
        "red for blue",
        "ShiqiYu/SimpleCNNbyCPP#4",
        "preprocessing",
        "Trained on RGB, tested on BGR as OpenCV reads it.",
        red_for_blue,
        (
            "held-out|held out|test|unseen|validation",
            "channel|shift|order|rgb|bgr|differ|swap|distribut|preprocess",
        ),
        accuracy,
        bad=0.6,
        good=0.9,
    ),
    Bug(
        "scaled by themselves",
        "NetManAIOps/OmniAnomaly#39",
        "preprocessing",
        "Test samples are scaled by their own minimum and maximum, not by those of training.",
        scaled_by_themselves,
        (
            "held-out|held out|test|unseen|validation",
            "scal|shift|range|distribut|normali|standardi|preprocess|differ",
        ),
        accuracy,
        bad=0.65,
        good=0.85,
    ),
    Bug(
        "folder too high",
        "easezyc/deep-transfer-learning#4",
        KIND,
        "The root of the folders is one level too high, and all pictures are of class 0.",
        folder_too_high,
        (
            "label|target|class",
            "one class|single class|only class|only one|constant|same|all 0|identical"
            "|missing|never",
        ),
        accuracy,
        bad=0.2,
        good=0.9,
    ),
)
