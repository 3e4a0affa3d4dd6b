"""The state of a network on its training points, independent of the curvature of its loss."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Health:
    """Losses now and at step 0, the loss of the best constant output, and dead units.

    ``dead`` has a pair for each ReLU layer: its units that are zero at every training point, and
    all of its units.
    """

    steps: int
    loss: float
    first: float
    constant: float
    dead: tuple[tuple[int, int], ...] = ()


@torch.no_grad()
def dead_units(model: nn.Sequential, x: Tensor) -> tuple[tuple[int, int], ...]:
    """For each ReLU layer: its units that are zero at every point, and all of its units.

    Example:
        >>> model = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 1))
        >>> _ = nn.init.zeros_(model[0].bias)
        >>> _ = model[0].weight.data.copy_(torch.tensor([[1.0], [-1.0]]))
        >>> dead_units(model, torch.tensor([[1.0], [2.0]]))
        ((1, 2),)
    """
    counts = []
    for layer in model:
        x = layer(x)
        if isinstance(layer, nn.ReLU):
            counts.append((int((x == 0).all(dim=0).sum()), x.shape[1]))
    return tuple(counts)
