"""Preprocessing of the training data: scales and types of inputs and targets."""

import torch
from torch import Tensor, nn
from torch.optim import SGD, Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy, explained
from real_bugs.tasks import cnn, digits, mlp

KIND = "preprocessing"


def features_of_unlike_scales(broken: bool) -> Arguments:
    x = torch.randn(600, 5)
    y = ((x[:, 0] * x[:, 1] > 0) ^ (x[:, 2] > 1)).long()
    raw = x * torch.tensor([0.02, 0.5, 30.0, 4000.0, 90000.0]) + torch.tensor([0, 1, 50, 1e4, 3e5])
    model = mlp(5, 2)
    return dict(
        model=model,
        data=(raw if broken else x, y),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=300,
    )


def targets_not_scaled(broken: bool) -> Arguments:
    x = torch.arange(100.0)[:, None]
    y = x**2 + 3
    x = (x - x.mean()) / x.std()
    model = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1))
    return dict(
        model=model,
        data=(x, y if broken else (y - y.mean()) / y.std()),
        loss=nn.MSELoss(),
        optimizer=SGD(model.parameters(), lr=0.01),
        batch_size=32,
        steps=1200,
    )


def fourth_power(broken: bool) -> Arguments:
    x = torch.linspace(-100, 100, 400)[:, None]
    y = x**4
    if not broken:
        x, y = x / 100, (y - y.mean()) / y.std()
    model = nn.Sequential(
        nn.Linear(1, 50), nn.Sigmoid(), nn.Linear(50, 50), nn.ELU(), nn.Linear(50, 1)
    )
    return dict(
        model=model,
        data=(x, y),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=50,
        steps=600,
    )


def divided_twice(broken: bool) -> Arguments:
    x, y = digits(images=True)
    x = x / 255 if broken else x
    model = cnn()
    return dict(
        model=model,
        data=((x - 0.485) / 0.229, y),
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.05, momentum=0.9),
        batch_size=32,
        steps=150,
    )


def colour_features(pixel: Tensor) -> Tensor:
    """Colours and their products, as a colour correction is fitted on."""
    r, g, b = pixel.unbind(1)
    return torch.stack([r, g, b, r * g, r * b, g * b, r * r, g * g, b * b], 1).float()


def products_wrap_in_bytes(broken: bool) -> Arguments:
    pixel = torch.randint(256, (600, 3))
    true = colour_features(pixel)
    r, g, b = ((pixel - 127.5) / 74).unbind(1)
    y = torch.stack([r * g, r * b, g * b], 1)
    x = colour_features(pixel.to(torch.uint8)) if broken else true
    x = (x - x.mean(0)) / x.std(0)
    model = nn.Linear(9, 3)
    return dict(
        model=model,
        data=(x, y),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.05),
        batch_size=64,
        steps=1000,
    )


BUGS = (
    Bug(
        "features of unlike scales",
        "keras-team/keras#2975",
        KIND,
        "Features from hundredths to hundreds of thousands are not standardised.",
        features_of_unlike_scales,
        ("input|feature", "scale|normal|standard"),
        accuracy,
        bad=0.7,
        good=0.85,
    ),
    Bug(
        "targets not scaled",
        "https://stats.stackexchange.com/questions/418955",
        KIND,
        "Targets of several thousand make plain gradient descent diverge.",
        targets_not_scaled,
        ("target", "scale|large|normal|standard"),
        explained,
        bad=0.5,
        good=0.9,
    ),
    Bug(
        "fourth power not scaled",
        "https://stackoverflow.com/questions/52800582",
        KIND,
        "Inputs up to 100 saturate the sigmoids, and targets up to 1e8 are out of reach.",
        fourth_power,
        ("input|feature|target", "scale|large|normal|standard"),
        explained,
        bad=0.1,
        good=0.8,
    ),
    Bug(
        "images divided by 255 twice",
        "4uiiurz1/pytorch-nested-unet#62",
        KIND,
        "Images already between 0 and 1 are divided by 255, then standardised as if they were not.",
        divided_twice,
        ("input|feature", "scale|normal|small|standard|constant|contrast"),
        accuracy,
        bad=0.5,
        good=0.85,
    ),
    Bug(
        "products wrap in bytes",
        "mahmoudnafifi/Deep_White_Balance#15",
        KIND,
        "Products of colours are computed in 8-bit integers and wrap at 256.",
        products_wrap_in_bytes,
        ("wrap|overflow|integer|uint8",),
        explained,
        bad=0.5,
        good=0.9,
    ),
)
