"""Layers that are made with wrong arguments, stand at a wrong place or start at a wrong scale."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy, explained
from real_bugs.tasks import mlp
from real_bugs.third.tasks import numbers, products, split, standardised_prices


def slope_of_one(broken: bool) -> Arguments:
    def leaky() -> nn.Module:
        return nn.LeakyReLU(True) if broken else nn.LeakyReLU(inplace=True)

    data, held_out = products()
    model = nn.Sequential(nn.Linear(6, 32), leaky(), nn.Linear(32, 32), leaky(), nn.Linear(32, 2))
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3, weight_decay=1e-3),
        batch_size=64,
        steps=300,
    )


def epsilon_for_momentum(broken: bool) -> Arguments:
    data, held_out = numbers(images=True)
    layers: list[nn.Module] = []
    for a, b in ((1, 8), (8, 8), (8, 16), (16, 16), (16, 16)):
        norm = nn.BatchNorm2d(b, 0.8) if broken else nn.BatchNorm2d(b, momentum=0.2)
        layers += [nn.Conv2d(a, b, 3, padding=1, bias=False), norm, nn.ReLU()]
        nn.init.normal_(layers[-3].weight, std=0.02)
    model = nn.Sequential(*layers, nn.AvgPool2d(2), nn.Flatten(), nn.Linear(256, 10))
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.02, momentum=0.9),
        batch_size=64,
        steps=120,
    )


def output_normalised(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = standardised_prices()
    y, y_held = y.sigmoid(), y_held.sigmoid()
    model = mlp(6, 1)
    if broken:
        model.append(nn.BatchNorm1d(1, affine=False))
    return dict(
        model=model,
        data=(x, y),
        held_out=(x_held, y_held),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=300,
    )


def hundredth_in_every_layer(broken: bool) -> Arguments:
    data, held_out = numbers()
    model = mlp(64, 10, width=64, depth=7)
    for layer in model:
        if isinstance(layer, nn.Linear):
            gain = 0.5 if layer is model[-1] else 2**0.5
            nn.init.normal_(layer.weight, std=0.01 if broken else gain / layer.in_features**0.5)
            nn.init.constant_(layer.bias, 0.0)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.01, momentum=0.9),
        batch_size=64,
        steps=600,
    )


class Ratings(nn.Module):
    """The rating of an item by a user is the product of their vectors and two biases."""

    def __init__(self, users: int, items: int, std: float, width: int = 16) -> None:
        super().__init__()
        self.user, self.item = nn.Embedding(users, width), nn.Embedding(items, width)
        self.user_bias, self.item_bias = nn.Embedding(users, 1), nn.Embedding(items, 1)
        for table in (self.user, self.item):
            nn.init.normal_(table.weight, std=std)
        for table in (self.user_bias, self.item_bias):
            nn.init.zeros_(table.weight)

    def forward(self, pair: Tensor) -> Tensor:
        user, item = pair.unbind(1)
        bias = self.user_bias(user) + self.item_bias(item)
        return (self.user(user) * self.item(item)).sum(1, keepdim=True) + bias


def vectors_that_start_too_long(broken: bool) -> Arguments:
    taste, style = torch.randn(60, 2), torch.randn(60, 2)
    rating = (taste @ style.T + 0.1 * torch.randn(60, 60)).flatten()[:, None]
    pairs = torch.cartesian_prod(torch.arange(60), torch.arange(60))
    order = torch.randperm(len(pairs))
    data, held_out = split(pairs[order], rating[order] / rating.std(), train=2400)
    model = Ratings(60, 60, std=1.0 if broken else 0.1)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=128,
        steps=400,
    )


class Vae(nn.Module):
    """A variational autoencoder; gives the picture, the mean and the log-variance of its code."""

    def __init__(self, rectified: bool) -> None:
        super().__init__()
        self.trunk, self.decode = nn.Linear(64, 64), mlp(8, 64, width=64, depth=1)
        self.mean, self.log_var, self.rectified = nn.Linear(64, 8), nn.Linear(64, 8), rectified

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = F.relu(self.trunk(x))
        mean, log_var = self.mean(h), self.log_var(h)
        if self.rectified:
            mean, log_var = F.relu(mean), F.relu(log_var)
        noise = torch.randn_like(mean) if self.training else torch.zeros_like(mean)
        return self.decode(mean + (0.5 * log_var).exp() * noise), mean, log_var


class Elbo(nn.Module):
    """Error of the picture and divergence of the code, both summed over a sample."""

    def forward(self, out: tuple[Tensor, Tensor, Tensor], y: Tensor) -> Tensor:
        picture, mean, log_var = out
        divergence = 0.5 * (mean.square() + log_var.exp() - 1 - log_var).sum(1)
        return (10 * (picture - y).square().sum(1) + divergence).mean()


def picture_explained(model: nn.Module, x: Tensor, y: Tensor) -> float:
    return explained(lambda x: model(x)[0], x, y)  # type: ignore[arg-type]


def code_rectified(broken: bool) -> Arguments:
    (x, _), (x_held, _) = numbers()
    model = Vae(rectified=broken)
    return dict(
        model=model,
        data=(x, x),
        held_out=(x_held, x_held),
        loss=Elbo(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=400,
    )


BUGS = (
    Bug(
        "slope of one",
        "PantoMatrix/PantoMatrix#52",
        "activation function",
        "LeakyReLU(True) sets the negative slope, not inplace: each activation is the identity.",
        slope_of_one,
        (
            "leaky|slope|nonlinear|non-linear|linear map|linear function|no activation"
            "|identity|affine",
        ),
        accuracy,
        bad=0.65,
        good=0.85,
    ),
    Bug(
        "epsilon for momentum",
        "eriklindernoren/PyTorch-GAN#116",
        "layers",
        "BatchNorm2d(c, 0.8) sets epsilon, not momentum, to 0.8, and hardly normalises.",
        epsilon_for_momentum,
        ("epsilon|eps=|`eps`| eps |eps of|0.8", "norm|variance"),
        accuracy,
        bad=0.6,
        good=0.9,
    ),
    Bug(
        "output normalised",
        "Lab41/attalos#89",
        "layers",
        "A batch norm follows the last layer: outputs have mean 0 and variance 1, targets do not.",
        output_normalised,
        ("batchnorm|batch norm|batch_norm|normali", "last|output|head|final|target"),
        explained,
        bad=0.3,
        good=0.9,
    ),
    Bug(
        "hundredth in every layer",
        "NVIDIA/DIGITS#535",
        "initialisation",
        "Weights start with a standard deviation of 0.01 in every layer, and the signal dies out.",
        hundredth_in_every_layer,
        (
            "initial|kaiming|xavier|standard deviation|std",
            "small|shrink|vanish|gain|variance|larger|die",
        ),
        accuracy,
        bad=0.4,
        good=0.88,
    ),
    Bug(
        "vectors that start too long",
        "pytorch/pytorch#3121",
        "initialisation",
        "Embeddings start with variance 1, so that products of them are several times the ratings.",
        vectors_that_start_too_long,
        (
            "embedding|initial|start|output",
            "large|variance|scale|std|too high|smaller|times the|standard deviation",
        ),
        explained,
        bad=0.4,
        good=0.8,
    ),
    Bug(
        "code rectified",
        "shekkizh/TensorflowProjects#1",
        "activation function",
        "ReLUs keep mean and log-variance of a code above 0, so that its noise is never below 1.",
        code_rectified,
        (
            "relu|rectif|non-negative|nonnegative|negative",
            "log_var|logvar|log-var|variance|mean|code|latent|noise|dead|never active|zero",
        ),
        picture_explained,
        bad=0.5,
        good=0.6,
    ),
)
