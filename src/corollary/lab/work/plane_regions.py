r"""Linear regions of the playground's network: counted exactly, or seen on a grid.

If its inputs are the coordinates alone, the network is affine on polygons. With nonlinear features
it is affine in the features, and the pieces have curved borders. Points of one piece have the same
units on. Such patterns are at most as many as Serra's bound for as many inputs as there are
features, and at least as many as a grid of points meets.

:source: Serra, Tjandraatmadja and Ramalingam (2018), "Bounding and counting linear regions of deep
    neural networks", Theorem 1.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from corollary.errors import InputError, NotApplicableError
from corollary.lab.settings import STRAIGHT, PlaySettings
from corollary.lab.work.plane_inputs import lifted
from corollary.report.numerals import numeral
from corollary.theory.expressivity.bounds import serra_upper
from corollary.theory.expressivity.regions.plane import linear_regions

DRAWN = 4000  # regions; of more only the number is told
MOST = 40_000  # regions
SEGMENTS = 12_000  # of curved borders that are drawn
SIDE = 193  # points a side of the grid that looks for patterns
RECTIFIERS = ("relu", "leaky relu")


def plane_regions(model: nn.Sequential, settings: PlaySettings, reach: float) -> dict[str, Any]:
    """Their number in the square from -reach to reach, a remark on it, and their borders."""
    if settings.straight:
        return _polygons(model, settings, reach)
    if settings.activation == "linear" or not settings.hidden:
        return _found(1, "the network is linear in its inputs")
    if settings.activation not in RECTIFIERS:
        return _found(None, f"{settings.activation} is smooth: there are no linear regions")
    return _curved(model, settings, reach)


def _found(count: int | None, note: str, **drawn: Any) -> dict[str, Any]:
    return {"regions": count, "regions_note": note, "polygons": None, "borders": None} | drawn


def _at_most(settings: PlaySettings) -> str:
    if settings.activation not in RECTIFIERS or not settings.hidden:
        return ""
    bound = serra_upper(len(settings.features), list(settings.hidden))
    return f"at most {numeral(bound)} by theory"


def _polygons(model: nn.Sequential, settings: PlaySettings, reach: float) -> dict[str, Any]:
    whole = nn.Sequential(_chosen(settings), *model)
    try:
        mosaic = linear_regions(whole, reach, limit=MOST, backend="torch")
    except NotApplicableError:
        return _found(None, f"{settings.activation} is smooth: there are no linear regions")
    except InputError:
        return _found(None, f"more than {MOST}")
    polygons = mosaic.polygons() if mosaic.count <= DRAWN else None
    drawn: Any = polygons and [[round(v, 3) for c in p for v in c] for p in polygons]
    return _found(mosaic.count, _at_most(settings), polygons=drawn)


def _chosen(settings: PlaySettings) -> nn.Linear:
    """The coordinates that the network has as its inputs."""
    layer = nn.Linear(2, len(settings.features), bias=False, dtype=torch.float64)
    rows = [[float(name == other) for other in STRAIGHT] for name in settings.features]
    layer.weight.data.copy_(torch.tensor(rows, dtype=torch.float64))
    return layer


@torch.no_grad()
def _curved(model: nn.Sequential, settings: PlaySettings, reach: float) -> dict[str, Any]:
    line = torch.linspace(-reach, reach, SIDE, dtype=torch.float64)
    places = torch.cartesian_prod(line, line).flip(1)  # row 0 at the bottom
    values, out = [], lifted(places, settings.features)
    for layer in list(model)[:-1]:
        out = layer(out)
        if isinstance(layer, nn.Linear):
            values.append(out)
    before = torch.cat(values, dim=1)
    bits = np.packbits((before > 0).numpy(), axis=1)
    seen = len(np.unique(bits, axis=0))
    segments = borders(before.T.reshape(-1, SIDE, SIDE)[:, ::2, ::2], reach)
    drawn = segments.round(decimals=3).flatten().tolist() if len(segments) <= SEGMENTS else None
    said = f"counted on a grid, {_at_most(settings)}; nonlinear inputs make the borders curved"
    return _found(seen, said, borders=drawn)


def borders(values: Tensor, reach: float) -> Tensor:
    """Where functions on a grid of points change sign: the ends of short segments, as rows of 4.

    ``values`` is ``(functions, rows, columns)`` over the square, its first row at the bottom.
    Between two points of the grid a function is taken to be straight.

    Example:
        >>> borders(torch.tensor([[[-1.0, 3.0], [-1.0, 3.0]]]), 1.0).tolist()  # x = -1/2
        [[-0.5, -1.0, -0.5, 1.0]]
    """
    corners = torch.stack(
        [values[:, :-1, :-1], values[:, :-1, 1:], values[:, 1:, 1:], values[:, 1:, :-1]], dim=-1
    )
    after = corners.roll(-1, dims=-1)
    crossed = (corners > 0) != (after > 0)  # an even number of the four sides of each cell
    _, row, column, side = crossed.nonzero(as_tuple=True)  # those of one cell follow each other
    start = values.new_tensor([[0, 0], [1, 0], [1, 1], [0, 1]])
    share = (corners / (corners - after))[crossed]
    point = start[side] + share[:, None] * (start.roll(-1, dims=0) - start)[side]
    point = point + torch.stack([column, row], dim=1)
    return (reach * (2 * point / (values.shape[-1] - 1) - 1)).reshape(-1, 4)
