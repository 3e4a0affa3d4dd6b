"""Functions of the plane as small pictures: a byte per cell, 128 for zero, row 0 at the bottom."""

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


def on_own_scale(rows: Tensor) -> Tensor:
    """Rows divided by their largest sizes; a row of zeros stays one.

    Example:
        >>> on_own_scale(torch.tensor([[1.0, -4.0], [0.0, 0.0]])).tolist()
        [[0.25, -1.0], [0.0, 0.0]]
    """
    rows = rows.nan_to_num()
    return rows / rows.abs().amax(dim=1, keepdim=True).clamp(min=1e-12)


@torch.no_grad()
def units(model: nn.Sequential, places: Tensor) -> list[dict[str, Any]]:
    """What the units of each layer answer to places, and their weights, of the first units.

    ``model`` has linear layers and activations in turn, and a linear layer at its end, of which
    only the weights are told. Each picture is on a scale of its own.

    Example:
        >>> model = nn.Sequential(nn.Linear(1, 1, bias=False), nn.ReLU(), nn.Linear(1, 1))
        >>> _ = nn.init.constant_(model[0].weight, 3.0)
        >>> layer, end = units(model, torch.tensor([[-1.0], [1.0], [2.0]]))
        >>> layer["units"], list(base64.b64decode(layer["grid"]))  # 0, 3 and 6, of 6
        (1, [128, 192, 255])
        >>> layer["weights"], layer["biases"], end["grid"]
        ([[3.0]], [0.0], '')
    """
    layers: list[dict[str, Any]] = []
    out = places
    for layer in model:
        out = layer(out)
        if isinstance(layer, nn.Linear):
            bias = layer.weight.new_zeros(layer.out_features) if layer.bias is None else layer.bias
            layers.append(
                {
                    "units": layer.out_features,
                    "shown": min(SHOWN, layer.out_features),
                    "weights": [_rounded(row) for row in layer.weight[:SHOWN, :SHOWN]],
                    "biases": _rounded(bias[:SHOWN]),
                    "grid": "",
                }
            )
        else:
            layers[-1]["grid"] = in_bytes(on_own_scale(out[:, :SHOWN].T))
    return layers


def _rounded(row: Tensor) -> list[float]:
    return [float(f"{v:.4g}") for v in row.nan_to_num().tolist()]
