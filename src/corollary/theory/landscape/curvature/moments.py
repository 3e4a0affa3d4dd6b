r"""Second moments of what enters and leaves a layer, which Kronecker factors are made of.

Inputs are vectors at positions, or :class:`Tokens`: unit vectors, as an embedding multiplies. The
moment of unit vectors, each position for itself, is diagonal, and is held as a vector.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

Sharing = Literal["expand", "reduce"]
PIECE = 1 << 24  # entries of examples' gradients held at once


@dataclass(frozen=True)
class Tokens:
    """Unit vectors by the number of their 1; -1 stands for the vector 0."""

    index: Int[Tensor, "n t"]
    size: int
    dtype: torch.dtype

    def shares(self) -> Float[Tensor, "n v"]:
        """The mean of each example's vectors."""
        ones = (self.index >= 0).to(self.dtype) / self.index.shape[1]
        zero = ones.new_zeros(len(ones), self.size)
        return zero.scatter_add(1, self.index.clamp_min(0), ones)


Inputs = Float[Tensor, "n t i"] | Tokens


def input_moment(a: Inputs, sharing: Sharing) -> Float[Tensor, "i *i"]:
    """The sum over examples that is n A; a vector where A is diagonal.

    Example:
        >>> token = Tokens(torch.tensor([[0, 1], [1, 1]]), 3, torch.float64)
        >>> input_moment(token, "expand").tolist()  # one half of 1 + 0 and of 1 + 2
        [0.5, 1.5, 0.0]
    """
    if isinstance(a, Tokens):
        mean = a.shares()
        return mean.sum(0) if sharing == "expand" else mean.T @ mean
    if sharing == "reduce":
        a = a.mean(1)
        return a.T @ a
    flat = a.flatten(0, 1)
    return flat.T @ flat / a.shape[1]


def slope_moment(g: Float[Tensor, "n t o"], sharing: Sharing) -> Float[Tensor, "o o"]:
    """The sum over examples that is n B, for one column of the root."""
    g = g.sum(1) if sharing == "reduce" else g.flatten(0, 1)
    return g.T @ g


def turned(a: Inputs, q: Float[Tensor, "i i"] | None) -> Inputs:
    """Inputs in another basis; None stands for the one they have."""
    if q is None:
        return a
    if not isinstance(a, Tokens):
        return a @ q
    return q[a.index.clamp_min(0)] * (a.index >= 0)[..., None]


def squared_moment(g: Float[Tensor, "n t o"], a: Inputs) -> Float[Tensor, "o i"]:
    """The sum over examples of the squared entries of their sums of outer products.

    Example:
        >>> g, twice = torch.ones(1, 2, 1), Tokens(torch.tensor([[1, 1]]), 2, torch.float32)
        >>> squared_moment(g, twice).tolist()  # (1 + 1)²
        [[0.0, 4.0]]
    """
    if isinstance(a, Tokens):
        return _squares_by_token(g, a)
    if g.shape[1] == 1:
        return g[:, 0].square().T @ a[:, 0].square()
    step = max(1, PIECE // (g.shape[2] * a.shape[2]))
    total = g.new_zeros(g.shape[2], a.shape[2])
    for u, v in zip(g.split(step), a.split(step), strict=True):
        total += (u.mT @ v).square().sum(0)
    return total


def _squares_by_token(g: Float[Tensor, "n t o"], a: Tokens) -> Float[Tensor, "o v"]:
    """Gradients of equal tokens of one example add up before they are squared."""
    example = torch.arange(len(a.index), device=a.index.device)[:, None]
    used = a.index >= 0
    keys, place = torch.unique((example * a.size + a.index)[used], return_inverse=True)
    sums = g.new_zeros(len(keys), g.shape[2]).index_add(0, place, g[used])
    return g.new_zeros(a.size, g.shape[2]).index_add(0, keys % a.size, sums.square()).T
