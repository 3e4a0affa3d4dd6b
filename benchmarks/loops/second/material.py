"""Networks and data of the second half."""

import math

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset


class Recurrent(nn.Module):
    """An LSTM that classifies series."""

    def __init__(self, inputs: int = 2, classes: int = 3, width: int = 32) -> None:
        super().__init__()
        self.rnn, self.head = nn.LSTM(inputs, width, batch_first=True), nn.Linear(width, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.rnn(x)[0][:, -1])


def series(n: int = 960, length: int = 16) -> tuple[Tensor, Tensor]:
    """Series of two sensors with one of three rhythms in them."""
    y = torch.randint(3, (n,))
    t = torch.arange(length) / length
    turn = 2 * math.pi * ((y[:, None] + 1) * t + torch.rand(n, 1))
    x = torch.stack([turn.sin(), turn.cos()], 2)
    return x + 0.3 * torch.randn(n, length, 2), y


def table(n: int = 960, d: int = 8) -> tuple[Tensor, Tensor]:
    """Rows of standard normal numbers and a smooth target with a standard deviation near 1."""
    x = torch.randn(n, d)
    y = x[:, 0] - x[:, 1] * x[:, 2] + torch.sin(2 * x[:, 3])
    return x, y[:, None] / 1.6


class Letters(nn.Module):
    """A recurrent language model."""

    def __init__(self, tokens: int = 32, width: int = 48) -> None:
        super().__init__()
        self.token, self.rnn = nn.Embedding(tokens, width), nn.LSTM(width, width, batch_first=True)
        self.head = nn.Linear(width, tokens)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.rnn(self.token(ids))[0])


class Backbone(nn.Module):
    """Convolutions with batch norm, and a head on top."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.head = nn.Sequential(nn.Dropout(dropout), nn.Linear(512, 10))

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.features(x))


def batches(x: Tensor, y: Tensor, size: int = 64, shuffle: bool = True) -> DataLoader:
    return DataLoader(TensorDataset(x, y), batch_size=size, shuffle=shuffle, drop_last=True)
