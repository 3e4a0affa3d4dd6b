r"""Activation atlas: the map of what a layer knows.

The activations of one layer over many inputs are laid out in the plane, the plane is cut into
cells, and each cell shows the mean activation of its inputs and the input that is most like it.
Nearby cells hold similar inputs if the layer has learned to tell classes apart. Without an
embedding of the caller's the plane is that of the two principal components.

:source: Mathematical Foundations of Deep Learning (slides), Manifold Hypothesis; Carter,
    Armstrong, Schubert, Johnson and Olah (2019), "Activation atlas".
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from corollary.errors import InputError

Embedding = Callable[[Tensor], Tensor]  # from activations (n, m) to the plane (n, 2)


@dataclass(frozen=True)
class Atlas:
    """A grid of g by g cells; cell (i, j) is row i from below and column j from the left."""

    places: Float[Tensor, "n 2"]  # of the inputs, in the unit square
    cell: Int[Tensor, "n 2"]  # row and column of each input
    count: Int[Tensor, "g g"]  # inputs in each cell; 0 marks an empty one
    mean: Float[Tensor, "g g m"]  # mean activation; nan where the cell is empty
    exemplar: Int[Tensor, "g g"]  # input whose activation is most along the mean; -1 where empty

    def classes(self, y: Int[Tensor, " n"]) -> Int[Tensor, "g g"]:
        """The most common class of each cell, the smallest of equals; -1 where it is empty."""
        g, k = len(self.count), int(y.max()) + 1
        votes = torch.zeros(g * g, k, dtype=torch.int64)
        flat = self.cell[:, 0] * g + self.cell[:, 1]
        votes.index_put_((flat, y), torch.ones_like(y), accumulate=True)
        return torch.where(self.count > 0, votes.argmax(dim=1).reshape(g, g), -1)


def layer_activations(model: nn.Module, layer: str, x: Any) -> Float[Tensor, "n m"]:
    """What the submodule called ``layer`` gives on the inputs, one flat row per input.

    Example:
        >>> net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        >>> layer_activations(net, "0", torch.zeros(5, 2)).shape
        torch.Size([5, 3])
    """
    parts = dict(model.named_modules())
    if layer not in parts:
        names = ", ".join(repr(name) for name in parts if name)
        raise InputError(f"the model has no layer {layer!r}; its layers are {names}")
    seen: list[Tensor] = []
    handle = parts[layer].register_forward_hook(lambda m, args, out: seen.append(out))
    try:
        with torch.no_grad():
            model(x)
    finally:
        handle.remove()
    if not seen or not isinstance(seen[-1], Tensor):
        raise InputError(f"the layer {layer!r} returned no tensor when the model was called")
    return seen[-1].flatten(start_dim=1)


def principal_plane(activations: Float[Tensor, "n m"]) -> Float[Tensor, "n 2"]:
    """Coordinates along the two principal directions, each turned to have a largest entry > 0.

    Example:
        >>> x = torch.tensor([[0.0, 0.0, 0.0], [2.0, 0.0, 1.0], [4.0, 0.0, 0.0]])
        >>> [round(v, 4) for v in principal_plane(x)[:, 0].tolist()]
        [-2.0, 0.0, 2.0]
    """
    centred = activations - activations.mean(dim=0)
    if min(centred.shape) < 2:
        raise InputError(f"a plane needs two points and units, got {tuple(centred.shape)}")
    _, _, V = torch.linalg.svd(centred, full_matrices=False)
    V = V[:2]
    largest = V.gather(1, V.abs().argmax(dim=1, keepdim=True))
    plane: Tensor = centred @ (V * largest.sign()).T
    return plane


def activation_atlas(
    model: nn.Module, layer: str, x: Any, grid: int = 12, *, embedding: Embedding = principal_plane
) -> Atlas:
    """The atlas of ``layer`` on the inputs ``x``, with ``grid`` cells per side.

    The model is called once, as it stands (put it in eval mode first). Cells are cut by the range
    of the embedding; nothing is random unless the embedding is.

    Example:
        >>> net = nn.Sequential(nn.Linear(2, 2))
        >>> atlas = activation_atlas(net, "0", torch.tensor([[0.0, 0], [1, 0], [0, 1]]), grid=2)
        >>> int(atlas.count.sum()), atlas.mean.shape
        (3, torch.Size([2, 2, 2]))

    :covers: activation-atlas
    """
    if grid < 1:
        raise InputError(f"an atlas needs at least one cell per side, got grid={grid}")
    a = layer_activations(model, layer, x)
    plane = embedding(a)
    if plane.shape != (len(a), 2):
        raise InputError(f"the embedding must have shape (n, 2), got {tuple(plane.shape)}")
    low, high = plane.min(dim=0).values, plane.max(dim=0).values
    places = (plane - low) / torch.where(high > low, high - low, torch.ones_like(low))
    column, row = (places * grid).long().clamp(max=grid - 1).T
    flat, cells = row * grid + column, grid * grid
    count = torch.bincount(flat, minlength=cells)
    total = a.new_zeros(cells, a.shape[1]).index_add_(0, flat, a)
    mean = total / torch.where(count > 0, count, torch.nan)[:, None].to(a)
    return Atlas(
        places,
        torch.stack([row, column], dim=1),
        count.reshape(grid, grid),
        mean.reshape(grid, grid, -1),
        _exemplars(a, mean, flat).reshape(grid, grid),
    )


def _exemplars(a: Tensor, mean: Tensor, flat: Tensor) -> Tensor:
    """In each cell the input with the largest inner product with the mean; the first of equals."""
    along = (a * mean[flat]).sum(dim=1)
    best = torch.full((len(mean),), -torch.inf, dtype=a.dtype)
    best.scatter_reduce_(0, flat, along, "amax")
    out = torch.full((len(mean),), len(a))
    winner = along == best[flat]
    out.scatter_reduce_(0, flat[winner], torch.arange(len(a))[winner], "amin")
    return torch.where(out < len(a), out, -1)


def neighbour_agreement(classes: Int[Tensor, "g g"]) -> float:
    """The share of pairs of adjacent cells, both taken, that have the same class.

    Example:
        >>> neighbour_agreement(torch.tensor([[0, 0], [1, -1]]))
        0.5
    """
    pairs = torch.cat(
        [
            torch.stack([classes[:, :-1].flatten(), classes[:, 1:].flatten()]),
            torch.stack([classes[:-1].flatten(), classes[1:].flatten()]),
        ],
        dim=1,
    )
    first, second = pairs[:, (pairs >= 0).all(dim=0)]
    if len(first) == 0:
        raise InputError("no two adjacent cells are occupied; use a coarser grid")
    return float((first == second).double().mean())


def random_agreement(classes: Int[Tensor, "g g"]) -> float:
    """The probability that two different taken cells, drawn at random, have the same class.

    Example:
        >>> round(random_agreement(torch.tensor([[0, 0], [1, -1]])), 4)
        0.3333
    """
    taken = classes[classes >= 0]
    n = torch.bincount(taken)
    if len(taken) < 2:
        raise InputError("at least two cells must be occupied; use more inputs or a finer grid")
    return float((n * (n - 1)).sum() / (len(taken) * (len(taken) - 1)))
