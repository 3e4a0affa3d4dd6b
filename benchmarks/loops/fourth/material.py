"""Networks and data of the fourth part, beside those of the other three."""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from loops.second.material import Backbone, batches


class Averaged(nn.Module):
    """A network, and beside it a running average of its weights."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net, self.average = net, copy.deepcopy(net).requires_grad_(False)

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)

    @torch.no_grad()
    def follow(self, decay: float, buffers: bool = True) -> None:
        """Move the average towards the network, and copy its statistics."""
        for mean, p in zip(self.average.parameters(), self.net.parameters(), strict=True):
            mean.lerp_(p, 1 - decay)
        if buffers:
            for mean, b in zip(self.average.buffers(), self.net.buffers(), strict=True):
                mean.copy_(b)


def trained_on_digits(x: Tensor, y: Tensor, epochs: int = 3, dropout: float = 0.0) -> Backbone:
    """A convolutional network that knows the digits."""
    model = Backbone(dropout)
    optimizer = Adam(model.parameters(), lr=2e-3)
    for _ in range(epochs):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return model


class Encoded(nn.Module):
    """A recurrent encoder of sentences, and a head on top."""

    def __init__(self, tokens: int = 32, width: int = 48, classes: int = 3) -> None:
        super().__init__()
        self.encoder = nn.ModuleDict(
            {
                "token": nn.Embedding(tokens, width),
                "rnn": nn.GRU(width, width, batch_first=True),
            }
        )
        self.head = nn.Linear(width, classes)

    def encode(self, ids: Tensor) -> Tensor:
        """The state after the last token."""
        return self.encoder["rnn"](self.encoder["token"](ids))[0][:, -1]

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.encode(ids))


def sentences(rows: int, length: int = 12, tokens: int = 32) -> tuple[Tensor, Tensor]:
    """Sequences that go up by 1, 2 or 3, mostly, and by how much they do."""
    stride = torch.randint(1, 4, (rows, 1))
    ids = (torch.randint(0, tokens, (rows, 1)) + stride * torch.arange(length)) % tokens
    noise = torch.rand(ids.shape) < 0.1
    return torch.where(noise, torch.randint(0, tokens, ids.shape), ids), stride.squeeze(1) - 1
