"""Data and networks of the loops: digits, a line of numbers, a small language, small networks."""

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

EPOCHS = 8  # of most loops of the first half


def digits(images: bool = False) -> tuple[Tensor, Tensor]:
    """The 1797 digits of scikit-learn, pixels from 0 to 1."""
    x, y = load_digits(return_X_y=True)
    x = torch.tensor(x, dtype=torch.float32) / 16
    return (x.reshape(-1, 1, 8, 8) if images else x), torch.tensor(y)


def loader(x: Tensor, y: Tensor, size: int = 64, shuffle: bool = True) -> DataLoader:
    return DataLoader(TensorDataset(x, y), batch_size=size, shuffle=shuffle, drop_last=True)


def mlp(inputs: int = 64, outputs: int = 10, width: int = 64, dropout: float = 0.0) -> nn.Module:
    return nn.Sequential(
        nn.Linear(inputs, width),
        nn.ReLU(),
        nn.Dropout(dropout),
        nn.Linear(width, width),
        nn.ReLU(),
        nn.Linear(width, outputs),
    )


def cnn() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 16, 10),
    )


class Gpt(nn.Module):
    """A small causal transformer."""

    def __init__(
        self, tokens: int = 32, width: int = 48, length: int = 24, blocks: int = 2
    ) -> None:
        super().__init__()
        self.token, self.place = nn.Embedding(tokens, width), nn.Embedding(length, width)
        layer = nn.TransformerEncoderLayer(
            width, 4, 4 * width, dropout=0.1, batch_first=True, norm_first=True
        )
        self.blocks = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, tokens)

    def forward(self, ids: Tensor) -> Tensor:
        n = ids.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(n)
        h = self.token(ids) + self.place(torch.arange(n))
        return self.head(self.blocks(h, mask=mask, is_causal=True))


def text(rows: int = 512, length: int = 24, tokens: int = 32) -> Tensor:
    """Sequences in which each token is the one before plus a fixed stride, mostly."""
    start, stride = torch.randint(0, tokens, (rows, 1)), torch.randint(1, 4, (rows, 1))
    ids = (start + stride * torch.arange(length)) % tokens
    noise = torch.rand(ids.shape) < 0.05
    return torch.where(noise, torch.randint(0, tokens, ids.shape), ids)


def next_token_loss(logits: Tensor, ids: Tensor, **options: object) -> Tensor:
    return F.cross_entropy(
        logits[:, :-1].reshape(-1, logits.shape[-1]), ids[:, 1:].reshape(-1), **options
    )
