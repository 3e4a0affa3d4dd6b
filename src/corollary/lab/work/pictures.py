"""Functions of the plane as small pictures: a byte a cell, 128 for zero, row 0 at the bottom."""

import base64
from typing import Any

import torch
from torch import Tensor, nn

TILE = 16  # cells a side of the picture of one unit
SHOWN = 16  # units of a layer; of more only the first


def square(reach: float, side: int) -> Tensor:
    """The midpoints of ``side * side`` cells of the square from -reach to reach.

    Example:
        >>> square(1.0, 2).tolist()
        [[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]]
    """
    line = (torch.arange(side, dtype=torch.float64) + 0.5) / side * 2 - 1
    return reach * torch.cartesian_prod(line, line).flip(1)


def in_bytes(share: Tensor) -> str:
    """Numbers from -1 to 1 as bytes from 1 to 255, in base64.

    Example:
        >>> list(base64.b64decode(in_bytes(torch.tensor([-1.0, 0.0, 1.0]))))
        [1, 128, 255]
    """
    cells = (128 + 127 * share).round().to(torch.uint8).flatten().numpy().tobytes()
    return base64.b64encode(cells).decode()


@torch.no_grad()
def units(model: nn.Sequential, places: Tensor) -> list[dict[str, Any]]:
    """What the units of each hidden layer answer to places, each on a scale of its own.

    ``model`` has linear layers and activations in turn, and a linear layer at its end.

    Example:
        >>> model = nn.Sequential(nn.Linear(1, 1, bias=False), nn.ReLU(), nn.Linear(1, 1))
        >>> _ = nn.init.constant_(model[0].weight, 3.0)
        >>> (layer,) = units(model, torch.tensor([[-1.0], [1.0], [2.0]]))
        >>> layer["units"], list(base64.b64decode(layer["grid"]))  # 0, 3 and 6, of 6
        (1, [128, 192, 255])
    """
    layers, out = [], places
    for at, layer in enumerate(list(model)[:-1]):
        out = layer(out)
        if at % 2 == 1:
            seen = out[:, :SHOWN].T.nan_to_num()  # (units, places)
            top = seen.abs().amax(dim=1, keepdim=True).clamp(min=1e-12)
            layers.append({"units": out.shape[1], "shown": len(seen), "grid": in_bytes(seen / top)})
    return layers
