"""Data and networks of the third part, beside those of the other two."""

import math

import torch
from torch import Tensor, nn

from loops.material import digits
from loops.second.material import batches, series, table

TRAINED_ON = 1400  # of the 1797 digits; the others are held out


def split_digits(images: bool = False) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Digits to train on and digits to look at only, standardized as a whole."""
    x, y = digits(images)
    x = (x - x.mean()) / x.std()
    order = torch.randperm(len(x))
    x, y = x[order], y[order]
    return x[:TRAINED_ON], y[:TRAINED_ON], x[TRAINED_ON:], y[TRAINED_ON:]


def ring(n: int) -> Tensor:
    """Points near a circle of radius 1."""
    turn = 2 * math.pi * torch.rand(n, 1)
    return torch.cat([turn.cos(), turn.sin()], 1) + 0.05 * torch.randn(n, 2)


def perceptron(inputs: int, outputs: int, width: int = 64, slope: float = 0.2) -> nn.Sequential:
    """Two hidden layers of leaky ReLUs."""
    return nn.Sequential(
        nn.Linear(inputs, width),
        nn.LeakyReLU(slope),
        nn.Linear(width, width),
        nn.LeakyReLU(slope),
        nn.Linear(width, outputs),
    )


__all__ = ["batches", "perceptron", "ring", "series", "split_digits", "table"]
