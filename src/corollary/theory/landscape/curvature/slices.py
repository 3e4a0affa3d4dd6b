r"""The loss along a line or a plane through the present parameters.

.. math:: a \mapsto L(\theta + a\,d), \qquad (a, b) \mapsto L(\theta + a\,d + b\,e)

A random direction is *filter-normalised*: each filter (row of a weight, output channel of a
convolution) gets the length of the parameters' own filter, and vectors (biases, norm layers) stay
put. Slices of different networks can then be compared, for rescaling a ReLU layer changes nothing.

:source: Li, Xu, Taylor, Studer and Goldstein (2018), "Visualizing the loss landscape of neural
    nets", Section 4.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError, NotFiniteError
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.modules.keeping import kept
from corollary.theory.seeding import as_generator
from corollary.theory.wording import sizes, span


@dataclass(frozen=True)
class Slice:
    """Losses on a grid of one or two coordinates."""

    a: Float[Tensor, " n"]
    b: Float[Tensor, " m"] | None  # absent on a line
    loss: Float[Tensor, " n"] | Float[Tensor, "n m"]  # infinite where it is not finite
    directions: tuple[Float[Tensor, " p"], ...]

    def __repr__(self) -> str:
        axes = f"{len(self.directions)} direction" + ("s" if len(self.directions) > 1 else "")
        middle = self.loss.flatten()[self.loss.numel() // 2]  # odd numbers of points
        return (
            f"loss along {axes}, {sizes(self.loss)} points from {float(self.a[0]):.4g} to "
            f"{float(self.a[-1]):.4g}: {float(middle):.4g} in the middle, {span(self.loss)} in all"
        )


@of_model
def filter_normalised_direction(
    landscape: Landscape, *, rng: int | Generator = 0
) -> Float[Tensor, " p"]:
    """A random direction with the parameters' own filter lengths.

    Example:
        >>> model = torch.nn.Linear(3, 2)
        >>> _ = torch.nn.init.constant_(model.weight, 2.0)
        >>> data = torch.zeros(1, 3), torch.zeros(1, 2)
        >>> d = filter_normalised_direction(Landscape(model, torch.nn.MSELoss(), data))
        >>> d[:6].view(2, 3).square().sum(1).round().tolist(), d[6:].tolist()  # 3 * 2^2
        ([12.0, 12.0], [0.0, 0.0])
    """
    rng, parts = as_generator(rng), []
    for p in landscape.parameters:
        d = torch.randn(p.shape, generator=rng, device=rng.device, dtype=landscape.dtype).to(p)
        if p.ndim < 2:
            parts.append(torch.zeros_like(d))
            continue
        rows, own = d.flatten(1), p.detach().flatten(1)
        unit = rows / rows.norm(dim=1, keepdim=True)
        parts.append((unit * own.norm(dim=1, keepdim=True)).view_as(d))
    return landscape.flat(parts)


@of_model
def loss_slice(
    landscape: Landscape,
    directions: Tensor | Sequence[Tensor] | int = 1,
    *,
    reach: float = 1.0,
    points: int = 21,
    rng: int | Generator = 0,
) -> Slice:
    """The loss on a grid from ``-reach`` to ``reach`` along one or two directions.

    Cost: one pass over the data for each grid point (``points`` or ``points`` squared). The
    parameters are moved and come back bit for bit.

    Args:
        landscape: The loss; the grid's middle is its present point (``points`` is odd).
        directions: One or two flat vectors (eigenvectors, a gradient, the way to another
            solution), or the number of random filter-normalised ones.
        reach: Largest coordinate, in lengths of the directions as they are.
        points: Grid points per axis.
        rng: Of the random directions.

    Example:
        >>> model = torch.nn.Linear(1, 1, bias=False)
        >>> _ = torch.nn.init.constant_(model.weight, 1.0)
        >>> data = torch.ones(1, 1), torch.zeros(1, 1)
        >>> line = loss_slice(
        ...     Landscape(model, torch.nn.MSELoss(), data), torch.ones(1), points=3
        ... )
        >>> line.loss.tolist()  # (1 + a)^2
        [0.0, 1.0, 4.0]
    """
    if points < 3 or points % 2 == 0:
        raise InputError(f"points must be odd and at least 3, got {points}")
    ways = _ways(landscape, directions, as_generator(rng))
    axis = torch.linspace(-reach, reach, points, dtype=torch.float64)
    axis[points // 2] = 0.0
    grid = axis[:, None] if len(ways) == 1 else torch.cartesian_prod(axis, axis)
    at, losses = landscape.point(), []
    with kept(landscape.module):
        for coordinates in grid.tolist():
            there = at + sum(c * d for c, d in zip(coordinates, ways, strict=True))
            with torch.no_grad():
                for p, value in zip(landscape.parameters, landscape.split(there), strict=True):
                    p.copy_(value)
            losses.append(_value(landscape))
    loss = torch.tensor(losses, dtype=torch.float64)
    if len(ways) == 1:
        return Slice(axis, None, loss, ways)
    return Slice(axis, axis, loss.view(points, points), ways)


def _value(landscape: Landscape) -> float:
    try:
        return landscape.loss()
    except NotFiniteError:  # far out the loss may overflow; the slice shows it
        return float("inf")


def _ways(
    landscape: Landscape, directions: Tensor | Sequence[Tensor] | int, rng: Generator
) -> tuple[Tensor, ...]:
    if isinstance(directions, int):
        if directions not in (1, 2):
            raise InputError(f"a slice has 1 or 2 directions, got {directions}")
        return tuple(filter_normalised_direction(landscape, rng=rng) for _ in range(directions))
    ways = (directions,) if isinstance(directions, Tensor) else tuple(directions)
    if len(ways) not in (1, 2) or any(d.shape != (landscape.size,) for d in ways):
        shapes = ", ".join(str(tuple(d.shape)) for d in ways)
        raise InputError(
            f"a slice needs 1 or 2 directions of length {landscape.size}, got {shapes}"
        )
    return tuple(d.to(device=landscape.device, dtype=landscape.dtype) for d in ways)
