"""More ways to tell how well a trained network does; more is better."""

import torch
from torch import Tensor, nn


def overlap(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Intersection over union of the mask found and the true one."""
    found, true = model(x) > 0, y > 0
    return float((found & true).sum() / (found | true).sum().clamp(min=1))


def pixel_accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of pixels that get their class, the mean over classes."""
    answer = model(x).argmax(-1).flatten()
    y = y.flatten()
    return float(torch.stack([(answer[y == c] == c).float().mean() for c in y.unique()]).mean())


def label_accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of right answers over all labels of all samples."""
    return float(((model(x) > 0.5) == (y > 0.5)).float().mean())


def closeness(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Minus the divergence from the target distribution to the one predicted."""
    out = model(x)
    log_p = out if bool((out <= 0).all()) else out.clamp(min=1e-9).log()
    return float(-(y * (y.clamp(min=1e-9).log() - log_p)).sum(1).mean())


def confidence(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Mean probability of the right class."""
    return float(model(x).softmax(1).gather(1, y[:, None]).mean())


def next_letter(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of letters foreseen from those before them, whatever the labels say."""
    return float((model(x)[:, :-1].argmax(-1) == x[:, 1:]).float().mean())


def from_the_past(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of next tokens foreseen by a network that is shown only the tokens before them."""
    places = range(2, x.shape[1])
    right = [(model(x[:, : t + 1])[:, t].argmax(-1) == y[:, t]).float().mean() for t in places]
    return float(torch.stack(right).mean())


def token_accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of tokens foreseen, of those that have a target."""
    asked = y >= 0
    return float((model(x).argmax(-1) == y)[asked].float().mean())
