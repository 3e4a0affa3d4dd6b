"""Activations that die, explode or do not reach the targets."""

import math

import torch
from torch import Tensor, nn
from torch.optim import SGD, Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.fourth.tasks import split, sums
from real_bugs.scores import explained
from real_bugs.second.places import PlaceLoss, Speaker
from real_bugs.second.scores import token_accuracy
from real_bugs.tasks import mlp

KIND = "activation function"


def density_that_dies(broken: bool) -> Arguments:
    x = 2 * torch.rand(2400, 3) - 1
    y = 3 * (-(x - 0.3).square().sum(1, keepdim=True) / 0.15).exp()
    data, held_out = split(x, y, 400)
    model = mlp(3, 1, width=64)
    nn.init.constant_(model[-1].bias, -1)  # space is empty at first
    model.append(nn.ReLU() if broken else nn.Softplus())
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=400,
    )


def recurrence_without_bound(broken: bool) -> Arguments:
    model = Speaker(5, width=32)
    model.rnn = nn.RNN(32, 32, batch_first=True, nonlinearity="relu" if broken else "tanh")
    nn.init.orthogonal_(model.rnn.weight_hh_l0)
    return dict(
        model=model,
        data=sums(500, 5, length=60),
        held_out=sums(200, 5, length=60),
        loss=PlaceLoss(),
        optimizer=SGD(model.parameters(), lr=0.3, momentum=0.9),
        batch_size=32,
        steps=200,
    )


class Forecast(nn.Module):
    """The next value of a series."""

    def __init__(self, squeezed: bool) -> None:
        super().__init__()
        self.rnn, self.head = nn.GRU(1, 24, batch_first=True), nn.Linear(24, 1)
        self.squeezed = squeezed

    def forward(self, series: Tensor) -> Tensor:
        out = self.head(self.rnn(series)[0][:, -1])
        return out.sigmoid() if self.squeezed else out


def forecast_squeezed(broken: bool) -> Arguments:
    turns = torch.rand(1200, 1) + (0.5 + torch.rand(1200, 1)) * torch.arange(13) / 8
    series = 1.4 * (2 * math.pi * turns).sin() + 0.1 * torch.randn(1200, 13)
    data, held_out = split(series[:, :-1, None], series[:, -1:], 300)
    model = Forecast(squeezed=broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=300,
    )


BUGS = (
    Bug(
        "density that dies",
        "kwea123/nerf_pl#51 (Initialization issue of training both coarse and fine together)",
        KIND,
        "A ReLU on the density, which is negative everywhere at first and has no gradient there.",
        density_that_dies,
        ("relu|rectif", "dead|zero|die|gradient|never active|inactive|output"),
        explained,
        bad=0.3,
        good=0.8,
    ),
    Bug(
        "recurrence without bound",
        "chenxie95/deeplearning_course_sjtu#31 (RNN_RELU makes the loss NaN; title in Chinese)",
        KIND,
        "A recurrent network with ReLU in place of tanh has no bound and explodes.",
        recurrence_without_bound,
        ("relu|rnn|recurren", "explod|bound|grow|nan|diverge|overflow|unstable|tanh|finite"),
        token_accuracy,
        bad=0.6,
        good=0.8,
    ),
    Bug(
        "forecast squeezed",
        "maxjcohen/transformer#49 (Why the sigmoid in the transformer?)",
        KIND,
        "A sigmoid on the output, although the values to be forecast lie between -1.5 and 1.5.",
        forecast_squeezed,
        ("sigmoid", "range|target|output|bounded|outside|reach|between 0 and 1"),
        explained,
        bad=0.6,
        good=0.85,
    ),
)
