"""Loss function: the head of the network cannot give the targets."""

import torch
from torch import Tensor, nn
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy, explained
from real_bugs.tasks import cnn, digits, house_prices, mlp, moons

KIND = "loss function"


def softmax_of_one_unit(broken: bool) -> Arguments:
    x, y = moons()
    model = nn.Sequential(*mlp(2, 1), nn.Softmax(dim=1) if broken else nn.Sigmoid())
    return dict(
        model=model,
        data=(x, y[:, None].float()),
        loss=nn.BCELoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=300,
    )


def offsets(n: int = 600) -> tuple[Tensor, Tensor]:
    """Digits, and how far their ink lies to the right of and below the middle."""
    x, _ = digits(images=True, n=n)
    place = torch.arange(8.0) - 3.5
    ink = x.sum((2, 3))
    right, below = (x.sum(2) * place).sum(2) / ink, (x.sum(3) * place).sum(2) / ink
    both = torch.cat([right, below], 1)
    return x, (both - both.mean(0)) / both.std(0)


def relu_on_offsets(broken: bool) -> Arguments:
    model = nn.Sequential(*cnn(2), nn.ReLU() if broken else nn.Identity())
    return dict(
        model=model,
        data=offsets(),
        loss=nn.SmoothL1Loss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=150,
    )


def tanh_for_prices(broken: bool) -> Arguments:
    model = nn.Sequential(*mlp(6, 1), nn.Tanh() if broken else nn.Identity())
    return dict(
        model=model,
        data=house_prices(),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.02),
        batch_size=64,
        steps=400,
    )


def one_unit_for_ten_classes(broken: bool) -> Arguments:
    x, y = digits()
    model = mlp(64, 1 if broken else 10, depth=1)
    return dict(
        model=model,
        data=(x, y[:, None].float() if broken else y),
        loss=nn.BCEWithLogitsLoss() if broken else nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=200,
    )


BUGS = (
    Bug(
        "softmax of one unit",
        "https://geek-questions.imtqy.com/articles/1270335/index.html (Stack Overflow)",
        KIND,
        "A binary classifier ends in a softmax over its single unit, which is always 1.",
        softmax_of_one_unit,
        ("softmax", "one|single|1"),
        accuracy,
        bad=0.6,
        good=0.95,
    ),
    Bug(
        "ReLU on offsets of both signs",
        "tsinghua-rll/VoxelNet-tensorflow#10",
        KIND,
        "The last layer of a regression has a ReLU, so that negative offsets cannot be predicted.",
        relu_on_offsets,
        ("relu|negative|range|reach", "target|output|last"),
        explained,
        bad=0.6,
        good=0.8,
    ),
    Bug(
        "tanh on prices",
        "UC-IIC2613/Syllabus#208",
        KIND,
        "Targets around 22 are to be predicted by a network whose output lies between -1 and 1.",
        tanh_for_prices,
        ("tanh|range|bounded|reach|between", "target|output"),
        explained,
        bad=0.0,
        good=0.7,
    ),
    Bug(
        "one unit for ten classes",
        "https://datascience.stackexchange.com/questions/38604",
        KIND,
        "Class numbers from 0 to 9 are given as targets to one unit with a binary loss.",
        one_unit_for_ten_classes,
        ("class|integer|label", "output|unit|binary|range"),
        accuracy,
        bad=0.3,
        good=0.9,
    ),
)
