"""Small data and networks that the bugs are told with."""

import math

import torch
from torch import Tensor, nn

from corollary.data import digits as read_digits
from corollary.data import two_moons

Data = tuple[Tensor, Tensor]


def digits(images: bool = False, n: int = 1000) -> Data:
    """Handwritten digits, pixels from 0 to 1."""
    x, y = read_digits()
    x = x[:n].float()
    x = x / x.max()
    return (x[:, None] if images else x.flatten(1)), y[:n].long()


def moons(n: int = 512) -> Data:
    """Two half-moons, labels 0 and 1."""
    x, y = two_moons(n, noise=0.1, rng=0, dtype=torch.float32)
    return x, (y > 0).long()


def house_prices(n: int = 512) -> Data:
    """Six standardised features and a price between about 5 and 50 that depends on them."""
    x = torch.randn(n, 6)
    price = 22 + 6 * x[:, 0] - 4 * x[:, 1] * x[:, 2] + 3 * torch.sin(2 * x[:, 3])
    return x, price[:, None]


def sentences(n: int = 512, length: int = 12, words: int = 40) -> Data:
    """Sequences of word numbers; the class is the topic that most of the words are of."""
    y = torch.randint(4, (n,))
    off_topic = torch.randint(words, (n, length))
    on_topic = y[:, None] * (words // 4) + torch.randint(words // 4, (n, length))
    return torch.where(torch.rand(n, length) < 0.6, on_topic, off_topic), y


def motions(n: int = 512, length: int = 16) -> Data:
    """Series of two sensors whose class is which of three rhythms is in them."""
    y = torch.randint(3, (n,))
    t = torch.arange(length) / length
    turn = 2 * math.pi * ((y[:, None] + 1) * t + torch.rand(n, 1))
    series = torch.stack([turn.sin(), turn.cos()], 2)
    return series + 0.3 * torch.randn(n, length, 2), y


def mlp(inputs: int, outputs: int, width: int = 32, depth: int = 2) -> nn.Sequential:
    layers: list[nn.Module] = []
    for _ in range(depth):
        layers += [nn.Linear(inputs, width), nn.ReLU()]
        inputs = width
    return nn.Sequential(*layers, nn.Linear(inputs, outputs))


def cnn(outputs: int = 10) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(16 * 16, outputs),
    )
