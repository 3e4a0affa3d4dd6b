"""Training data with codes for missing values, crops of nothing and wrong labels."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.fourth.tasks import handwriting, homes
from real_bugs.scores import accuracy, explained
from real_bugs.tasks import Data, cnn, mlp

KIND = "training data"
MISSING = -9999.0  # what the station reports when a sensor is broken


def code_for_missing(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = homes()

    def reported(x: Tensor) -> Tensor:
        broken_sensor = torch.rand_like(x) < 0.02
        return torch.where(broken_sensor, MISSING if broken else 0.0, x)

    model = mlp(6, 1)
    return dict(
        model=model,
        data=(reported(x), y),
        held_out=(reported(x_held), y_held),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=500,
    )


def shapes(n: int) -> Data:
    """One small bright shape somewhere in a picture of 16 by 16: a cross, a ring or a bar."""
    cross = torch.tensor([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
    ring = torch.tensor([[1, 1, 1], [1, 0, 1], [1, 1, 1]])
    bar = torch.tensor([[0, 0, 0], [1, 1, 1], [0, 0, 0]])
    kind = torch.randint(3, (n,))
    picture = 0.1 * torch.randn(n, 16, 16)
    row, column = torch.randint(14, (2, n))
    for shift in range(9):
        i, j = divmod(shift, 3)
        value = torch.stack([cross, ring, bar])[kind, i, j].float()
        picture[torch.arange(n), row + i, column + j] += value
    return picture[:, None], kind


def cropped(x: Tensor, size: int) -> Tensor:
    """A random square of each picture, brought to the size of the picture."""
    top, left = torch.randint(17 - size, (2, len(x)))
    step = torch.arange(size)
    rows, columns = top[:, None, None] + step[:, None], left[:, None, None] + step
    crop = x[torch.arange(len(x))[:, None, None], 0, rows, columns]
    return F.interpolate(crop[:, None], size=16, mode="bilinear")


def crops_of_nothing(broken: bool) -> Arguments:
    x, y = shapes(1500)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 16, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveMaxPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 3),
    )
    return dict(
        model=model,
        data=(cropped(x, size=6 if broken else 15), y),
        held_out=shapes(300),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=32,
        steps=350,
    )


def labels_of_a_careless_team(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = handwriting()
    careless = torch.rand(len(y)) < 0.45
    if broken:  # takes 0 for 1 and 1 for 0, 2 for 3 and 3 for 2, ...
        y = torch.where(careless, y + 1 - 2 * (y % 2), y)
    model = cnn()
    return dict(
        model=model,
        data=(x.view(-1, 1, 8, 8), y),
        held_out=(x_held.view(-1, 1, 8, 8), y_held),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=2e-3),
        batch_size=64,
        steps=400,
    )


BUGS = (
    Bug(
        "code for missing",
        "osilab-kaist/KoMet-Benchmark-Dataset#3 (loss is always nan in train, validation and test)",
        KIND,
        "Missing measurements are left in the data as -9999.",
        code_for_missing,
        (
            "outlier|extreme|missing|-9999|sentinel|large value|far from|scale|range|heavy tail",
            "input|feature|data|sample",
        ),
        explained,
        bad=0.3,
        good=0.75,
    ),
    Bug(
        "crops of nothing",
        "tensorflow/models#4162 (SSD Mobilenet training performing worse with random crop data "
        "augmentation)",
        KIND,
        "Random crops are so small that most of them do not show the object of their label.",
        crops_of_nothing,
        (
            "crop|augment|label|held-out|held out|training data|sample",
            "crop|augment|noise|shift|differ|distribution|not match|unrelated|mislabel|not belong",
        ),
        accuracy,
        bad=0.7,
        good=0.85,
    ),
    Bug(
        "labels of a careless team",
        "ddavid/fsoco#54 (Labeling - ITU Racing)",
        KIND,
        "Those who labelled almost half of the samples mixed up similar classes.",
        labels_of_a_careless_team,
        ("label|target", "noise|noisy|wrong|mislabel|contradict|incorrect|inconsistent|error"),
        accuracy,
        bad=0.75,
        good=0.92,
    ),
)
