"""How well a trained network does, from its outputs; more is better."""

import torch
from torch import Tensor, nn


def accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of right answers: the largest of several outputs, or one output rounded."""
    out = model(x)
    answer = out.round().flatten() if out[0].numel() == 1 else out.argmax(-1).flatten()
    return float((answer == y.flatten()).float().mean())


def sign_accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of right answers of one logit."""
    return float(((model(x).flatten() > 0) == (y.flatten() > 0.5)).float().mean())


def balanced_accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Mean over the classes of the share found."""
    answer = model(x).argmax(-1)
    found = [(answer[y == c] == c).float().mean() for c in y.unique()]
    return float(torch.stack(found).mean())


def explained(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of the variance of the targets that is explained, 1 at best."""
    y = y.reshape(len(y), -1)
    error = (model(x).reshape(y.shape) - y).square().mean()
    return float(1 - error / (y - y.mean(0)).square().mean())
