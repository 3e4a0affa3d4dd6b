"""A function of two variables on a grid, for pictures of trajectories on their landscape."""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import Function


def values_on_grid(
    f: Function, x: tuple[float, float], y: tuple[float, float], n: int = 41
) -> Float[Tensor, "n n"]:
    """``f`` at n × n points of a rectangle; row 0 has the lowest y, as a heat map has it.

    Example:
        >>> values_on_grid(lambda v: v[0] + 10 * v[1], (0.0, 1.0), (0.0, 1.0), n=2).tolist()
        [[0.0, 1.0], [10.0, 11.0]]
    """
    if n < 2:
        raise InputError(f"a grid needs at least 2 points per side, got n = {n}")
    across = torch.linspace(*x, n, dtype=torch.float64)
    up = torch.linspace(*y, n, dtype=torch.float64)
    b, a = torch.meshgrid(up, across, indexing="ij")
    points = torch.stack([a.flatten(), b.flatten()], dim=1)
    return torch.vmap(f)(points).detach().reshape(n, n)
