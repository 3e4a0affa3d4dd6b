"""Initialisation, normalisation statistics and precision."""

import math

import torch
from torch import Tensor, nn
from torch.optim import SGD, Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.tasks import digits, mlp

INITIALISATION = "initialisation"
PRECISION = "precision"


class OwnLinear(nn.Module):
    """A hand-written linear layer whose weights may have been left at zero."""

    def __init__(self, inputs: int, outputs: int, forgotten: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(outputs, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        if not forgotten:
            nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight.T + self.bias


def weights_left_at_zero(broken: bool) -> Arguments:
    sizes = (64, 32), (32, 32), (32, 10)
    first, second, last = (OwnLinear(*size, forgotten=broken) for size in sizes)
    model = nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), last)
    return dict(
        model=model,
        data=digits(),
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.1, momentum=0.9),
        batch_size=64,
        steps=200,
    )


def statistics_never_updated(broken: bool) -> Arguments:
    x, y = digits(images=True)
    x = 4 * x + 2
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.BatchNorm2d(8, eps=1e-3, momentum=0.0 if broken else 0.1),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.BatchNorm2d(16, eps=1e-3, momentum=0.0 if broken else 0.1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(256, 10),
    )
    return dict(
        model=model,
        data=(x[:700], y[:700]),
        held_out=(x[700:], y[700:]),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=100,
    )


class UnitLength(nn.Module):
    """Features divided by their length, of which the root is taken with or without an epsilon."""

    def __init__(self, bare: bool) -> None:
        super().__init__()
        self.body, self.head = nn.Linear(64, 32, bias=False), nn.Linear(32, 10)
        self.bare = bare

    def forward(self, x: Tensor) -> Tensor:
        h = torch.tanh(self.body(x))
        square = h.square().sum(1, keepdim=True)
        length = square.sqrt() + 1e-10 if self.bare else (square + 1e-10).sqrt()
        return self.head(4 * h / length)


def root_of_zero(broken: bool) -> Arguments:
    x, y = digits()
    x[::40] = 0.0  # blank scans
    model = UnitLength(bare=broken)
    return dict(
        model=model,
        data=(x, y),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=100,
        steps=200,
    )


class Half(nn.Module):
    """A network whose inputs are cast to the type of its weights."""

    def __init__(self, body: nn.Module) -> None:
        super().__init__()
        self.body = body

    def forward(self, x: Tensor) -> Tensor:
        return self.body(x.to(next(self.parameters()).dtype)).float()


def epsilon_below_half_precision(broken: bool) -> Arguments:
    model = Half(mlp(64, 10)).half()
    return dict(
        model=model,
        data=digits(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3, eps=1e-8 if broken else 1e-4),
        batch_size=64,
        steps=200,
    )


BUGS = (
    Bug(
        "weights left at zero",
        "mattiasegu/uncertainty_estimation_deep_learning#7",
        INITIALISATION,
        "A layer written by hand lost its reset_parameters, and its weights start at zero.",
        weights_left_at_zero,
        ("zero", "initial|weight|gradient"),
        accuracy,
        bad=0.3,
        good=0.9,
    ),
    Bug(
        "running statistics never updated",
        "Cadene/pretrained-models.pytorch#5",
        "validation",
        "Batch norm has momentum 0, so that eval mode normalises with the initial statistics.",
        statistics_never_updated,
        ("batch norm|batchnorm|momentum|running|statistic",),
        accuracy,
        bad=0.6,
        good=0.9,
    ),
    Bug(
        "root of zero",
        "richzhang/PerceptualSimilarity#69",
        PRECISION,
        "Epsilon is added after the square root, whose gradient at zero is infinite.",
        root_of_zero,
        ("nan|finite|infinite|not a number",),
        accuracy,
        bad=0.3,
        good=0.85,
    ),
    Bug(
        "epsilon below half precision",
        "afiaka87/glide-finetune#6",
        PRECISION,
        "Adam's epsilon of 1e-8 is zero in half precision, and 0/0 spoils the weights.",
        epsilon_below_half_precision,
        ("eps|epsilon|half|float16|precision",),
        accuracy,
        bad=0.3,
        good=0.9,
    ),
)
