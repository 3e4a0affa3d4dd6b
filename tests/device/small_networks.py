"""Four small networks with data, as most users have them."""

import torch
from torch import Tensor, nn


class Reader(nn.Module):
    """An LSTM that classifies a sequence by its last state."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, 8, batch_first=True)
        self.head = nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(x)[0][:, -1])


class Speaker(nn.Module):
    """A causal transformer that predicts the next token."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 16)
        self.places = nn.Parameter(0.1 * torch.randn(6, 16))
        self.block = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.head = nn.Linear(16, 11)

    def forward(self, x: Tensor) -> Tensor:
        mask = torch.full((6, 6), float("-inf"), device=x.device, dtype=self.places.dtype).triu(1)
        hidden = self.block(self.embedding(x) + self.places, src_mask=mask)
        return self.head(hidden).transpose(1, 2)


def example(kind: str) -> tuple[nn.Module, tuple[Tensor, Tensor]]:
    """A network and its data, both on the CPU."""
    torch.manual_seed(0)
    if kind == "mlp":
        x = torch.randn(96, 5)
        return _mlp(), (x, (x[:, 0] * x[:, 1] > 0).long())
    if kind == "cnn":
        x = torch.randn(48, 1, 8, 8)
        return _cnn(), (x, (x.mean((1, 2, 3)) > 0).long())
    if kind == "lstm":
        x = torch.randn(48, 6, 3)
        return Reader(), (x, (x[:, :, 0].sum(1) > 0).long())
    if kind == "transformer":
        x = torch.randint(11, (48, 7))
        return Speaker(), (x[:, :-1], x[:, 1:])
    raise ValueError(kind)


def _mlp() -> nn.Module:
    return nn.Sequential(
        nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2)
    )


def _cnn() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.1),
        nn.Linear(64, 2),
    )
