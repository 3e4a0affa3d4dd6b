"""Small networks and data that the planted faults share."""

from typing import Any

import torch
from torch import Tensor, nn


def table(n: int = 256, d: int = 10, k: int = 3) -> tuple[Tensor, Tensor]:
    """Standard normal rows with labels that a linear map decides, in random order."""
    x = torch.randn(n, d)
    return x, (x @ torch.randn(d, k)).argmax(1)


def shifted(by: float, times: float = 1.0) -> tuple[Tensor, Tensor]:
    """A table with all values times a factor and moved."""
    x, y = table()
    return times * x + by, y


def two_classes() -> tuple[Tensor, Tensor]:
    """A table with the classes 0 and 1."""
    x, y = table()
    return x, y.clamp(max=1)


def images(n: int = 64, k: int = 3) -> tuple[Tensor, Tensor]:
    """Noise images of 8 x 8 with a bright corner that decides the class."""
    y = torch.arange(n) % k
    x = torch.rand(n, 1, 8, 8) * 0.5
    for c in range(k):
        x[y == c, 0, 2 * c : 2 * c + 2, :4] += 0.5
    return x, y


def tokens(n: int = 32, length: int = 12, vocabulary: int = 11) -> tuple[Tensor, Tensor]:
    """Sequences of token ids with the next token as target."""
    ids = torch.randint(vocabulary, (n, length + 1))
    return ids[:, :-1], ids[:, 1:]


def mlp(d: int = 10, m: int = 32, k: int = 3, *, end: nn.Module | None = None) -> nn.Sequential:
    """Two hidden ReLU layers with torch's own initialisation."""
    layers = [nn.Linear(d, m), nn.ReLU(), nn.Linear(m, m), nn.ReLU(), nn.Linear(m, k)]
    return nn.Sequential(*layers, *([] if end is None else [end]))


def about(model: nn.Module, data: Any, **more: Any) -> dict[str, Any]:
    """Arguments of a Subject."""
    return {"model": model, "data": data} | more
