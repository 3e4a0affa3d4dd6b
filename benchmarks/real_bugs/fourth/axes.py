"""Tensors with the wrong axis, the wrong order or half of their numbers."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.fourth.tasks import codes, split
from real_bugs.scores import accuracy, explained
from real_bugs.tasks import mlp

KIND = "tensors and axes"


class Motif(nn.Module):
    """Is there a certain pattern of three letters somewhere in the string?"""

    def __init__(self, length: int, letters: int, along_letters: bool) -> None:
        super().__init__()
        self.conv = nn.Conv1d(length if along_letters else letters, 32, 3, padding=1)
        self.head = nn.Linear(32, 2)
        self.along_letters = along_letters

    def forward(self, one_hot: Tensor) -> Tensor:
        x = one_hot if self.along_letters else one_hot.transpose(1, 2)
        return self.head(self.conv(x).relu().amax(2))


def convolved_along_the_letters(broken: bool) -> Arguments:
    n, length, letters = 1300, 20, 6
    text, y, start = codes(n, length, letters), torch.randint(2, (n,)), torch.randint(18, (n,))
    for step, letter in enumerate((0, 1, 2)):
        text[torch.arange(n), start + step] = torch.where(y == 1, letter, 5 - letter)
    data, held_out = split(F.one_hot(text, letters).float(), y, 300)
    model = Motif(length, letters, along_letters=broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=400,
    )


class Experts(nn.Module):
    """The class of a film from the vectors of its frames, each brought to length 1."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim, self.head = dim, mlp(8, 4)

    def forward(self, frames: Tensor) -> Tensor:
        return self.head(F.normalize(frames, dim=self.dim).mean(1))


def length_over_the_frames(broken: bool) -> Arguments:
    n, frames = 1300, 6
    y = torch.randint(4, (n,))
    direction = 1.2 * torch.eye(4, 8)[y][:, None] + torch.randn(n, frames, 8)
    x = direction * (2 * torch.randn(n, frames, 1)).exp()  # of very different lengths
    data, held_out = split(x, y, 300)
    model = Experts(dim=1 if broken else 2)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=400,
    )


class Spectrum(nn.Module):
    """The class of a wave from its Fourier coefficients."""

    def __init__(self, real_only: bool) -> None:
        super().__init__()
        self.real_only, self.head = real_only, mlp(13 if real_only else 26, 2)

    def forward(self, wave: Tensor) -> Tensor:
        c = torch.fft.rfft(wave, norm="ortho")
        return self.head(c.real if self.real_only else torch.view_as_real(c).flatten(1))


def imaginary_part_lost(broken: bool) -> Arguments:
    n = 1300
    y = torch.randint(2, (n,))
    turns = (1 + torch.randint(5, (n, 1))) * torch.arange(24) / 24
    wave = (2 * y[:, None] - 1) * (2 * math.pi * turns).sin() * (0.5 + torch.rand(n, 1))
    data, held_out = split(wave + 0.2 * torch.randn(n, 24), y, 300)
    model = Spectrum(real_only=broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=300,
    )


def shade(place: Tensor) -> Tensor:
    """A smooth picture, at places from -1 to 1."""
    row, column = place.unbind(1)
    return (torch.sin(3 * row + column) + torch.cos(4 * column) * row)[:, None]


def grid_of_the_other_shape(broken: bool) -> Arguments:
    height, width = 24, 40
    rows, columns = torch.linspace(-1, 1, height), torch.linspace(-1, 1, width)
    grid = torch.cartesian_prod(rows, columns)
    y = shade(grid)  # the pixels, row by row
    model = mlp(2, 1, width=64)
    away = 2 * torch.rand(300, 2) - 1
    return dict(
        model=model,
        data=(torch.cartesian_prod(columns, rows) if broken else grid, y),
        held_out=(away, shade(away)),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=500,
    )


BUGS = (
    Bug(
        "convolved along the letters",
        "topazape/molecular-VAE#2 (Input filter dimension for the first convolution layer)",
        KIND,
        "The convolution runs over the letters of the alphabet, with places as its channels.",
        convolved_along_the_letters,
        (
            "conv|axis|axes|dimension|channel|transpos|permut",
            "transpos|permut|wrong|swap|axis|axes|channels last|order|sequence",
        ),
        accuracy,
        bad=0.85,
        good=0.92,
    ),
    Bug(
        "length over the frames",
        "gabeur/mmt#1 (Wrong dimension for L2 normalization?)",
        KIND,
        "Vectors are normalised over the frames in place of their own numbers.",
        length_over_the_frames,
        ("normali|norm", "axis|dimension|dim|frame|sequence|across|wrong|place|token"),
        accuracy,
        bad=0.8,
        good=0.88,
    ),
    Bug(
        "imaginary part lost",
        "MagriLab/KolSol#30 (Unintentionally casting imaginary to real)",
        KIND,
        "Complex coefficients are cast to real numbers, and with the phase goes the class.",
        imaginary_part_lost,
        ("imaginary|complex|phase|fft|spectrum|real part|sign of the input|odd",),
        accuracy,
        bad=0.7,
        good=0.9,
    ),
    Bug(
        "grid of the other shape",
        "lucidrains/siren-pytorch#6 (Better mesh grid generation)",
        KIND,
        "The coordinates run through the picture in another order than its pixels.",
        grid_of_the_other_shape,
        (
            "order|target|label|coordinate|input|data|grid",
            "order|match|belong|scrambl|unrelated|swap|noise|shuffl|misalign|correspond|not depend",
        ),
        explained,
        bad=0.6,
        good=0.9,
    ),
)
