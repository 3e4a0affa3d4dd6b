"""The inputs of the playground's network: functions of a point of the plane."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

FEATURE: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "x1": lambda a, b: a,
    "x2": lambda a, b: b,
    "x1^2": lambda a, b: a.square(),
    "x2^2": lambda a, b: b.square(),
    "x1*x2": torch.mul,
    "sin x1": lambda a, b: a.sin(),
    "sin x2": lambda a, b: b.sin(),
}


def lifted(x: Tensor, names: Sequence[str]) -> Tensor:
    """The named features of points, a column each.

    Example:
        >>> lifted(torch.tensor([[2.0, 3.0]]), ["x1", "x2^2", "x1*x2"]).tolist()
        [[2.0, 9.0, 6.0]]
    """
    return torch.stack([FEATURE[name](x[:, 0], x[:, 1]) for name in names], dim=1)
