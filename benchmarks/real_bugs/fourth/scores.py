"""More ways to tell how well a trained network of the fourth part does; more is better."""

import torch
from torch import Tensor, nn


def answers_at_places(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of right answers over all places of all samples."""
    return float((model(x).argmax(-1) == y).float().mean())


def both_tasks(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of right answers of the task that is done worse."""
    right = (model(x).argmax(-1) == y).float().mean(0)
    return float(right.min())


def worst_explained(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of the variance explained of the target that is explained least."""
    error = (model(x) - y).square().mean(0)
    return float((1 - error / y.var(0)).min())


def pixels_found(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of pixels with the right class, channels first."""
    return float((model(x).argmax(1) == y).float().mean())


def brightness_of_the_dot(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Mean of the map found where the dot is, less the mean where it is not."""
    found = model(x)
    return float(found[y > 0].mean() - found[y == 0].mean())


def calm_where_false(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Mean probability of the labels that are false, taken from 1."""
    return float(1 - torch.sigmoid(model(x))[y < 0.5].mean())
