"""Networks of the fifth part, beside those of the other four."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from loops.material import mlp
from loops.third.material import batches


class Encoder(nn.Module):
    """A small transformer; with a causal mask, or each token seeing all others."""

    def __init__(self, causal: bool, tokens: int = 32, width: int = 32, length: int = 24) -> None:
        super().__init__()
        self.causal = causal
        self.token, self.place = nn.Embedding(tokens, width), nn.Embedding(length, width)
        layer = nn.TransformerEncoderLayer(
            width, 4, 2 * width, dropout=0.0, batch_first=True, norm_first=True
        )
        self.blocks = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, tokens)

    def forward(self, ids: Tensor) -> Tensor:
        n = ids.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(n) if self.causal else None
        h = self.token(ids) + self.place(torch.arange(n))
        return self.head(self.blocks(h, mask=mask, is_causal=self.causal))


class Averaged(nn.Module):
    """A network, and beside it a running average of its weights."""

    def __init__(self, net: nn.Module, average: nn.Module) -> None:
        super().__init__()
        self.net, self.average = net, average.requires_grad_(False)

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


def trained_mlp(x: Tensor, y: Tensor, epochs: int = 10) -> Any:
    """A perceptron that knows the digits, in evaluation mode."""
    model = mlp()
    optimizer = Adam(model.parameters(), lr=2e-3)
    for _ in range(epochs):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return model.eval()


def hopping(n: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Moves on a line of nine places: place, step, reward, next place, whether it fell off.

    Each move is worth 1, and whoever leaves the line is done.
    """
    place = torch.randint(9, (n,))
    step = torch.randint(2, (n,))
    after = place + 2 * step - 1 + torch.randint(-1, 2, (n,))
    done = (after < 0) | (after > 8)
    return place, step, torch.ones(n), after.clamp(0, 8), done.float()
