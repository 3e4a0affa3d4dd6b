r"""What a symmetry of the target saves: parameters of shallow and of folding networks.

The zig-zag :math:`Z_p` folds [0, 1] p times onto itself. A target :math:`h = g \circ Z_p^k` is made
of :math:`p^k` mirrored copies of g. One hidden layer has to draw every copy; a network that folds
first draws one.

:source: Mathematical Foundations of Deep Learning (slides), Montufar's Theorem; Montufar, Pascanu,
    Cho and Bengio (2014), "On the number of linear regions of deep neural networks".
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.expressivity.segmented import pieces_needed


class Cost(NamedTuple):
    """Parameters that reach the error: without folding, and with the best number of folds."""

    shallow: int
    deep: int
    folds: int  # of the cheapest network; 0 is the shallow one


def zigzag(x: Float[Tensor, " n"], p: int, folds: int) -> Float[Tensor, " n"]:
    """The point of [0, 1] to which ``folds`` zig-zags of p flanks send x.

    Example:
        >>> zigzag(torch.tensor([0.125, 0.375, 0.625]).double(), 2, 1).tolist()
        [0.25, 0.75, 0.75]
    """
    if p < 2 or folds < 0:
        raise InputError(f"p >= 2 flanks and folds >= 0 are needed, got p={p}, folds={folds}")
    z: Tensor = p**folds * x
    return (z - 2 * (z / 2).round()).abs()


def shallow_parameters(pieces: int) -> int:
    """Of one hidden layer for so many pieces: a unit a bend and two for the affine part, by three.

    Example:
        >>> shallow_parameters(4)
        15
    """
    return 3 * (pieces + 1)


def fold_parameters(p: int) -> int:
    """Of the network ``1 -> p -> 1`` that folds once.

    Example:
        >>> fold_parameters(2)
        7
    """
    return 3 * p + 1


def symmetry_gain(y: Float[Tensor, " n"], p: int, most: int, *, error: float) -> Cost:
    r"""The cheapest networks for a target sampled at the middles of n equal cells of [0, 1].

    For each number j of folds the best network after the fold is the mean of the copies; where
    that misses the target by more than ``error`` (root mean square), folding is of no use. What
    is left is fitted with the fewest pieces there can be. Time :math:`O(n^3)` in the worst case.

    Args:
        y: Values at :math:`(i + 1/2)/n`; n a multiple of :math:`p^{most}`.
        p: Flanks of a fold.
        most: Largest number of folds to try.
        error: Allowed root mean square error.

    Example:
        >>> x = (torch.arange(32).double() + 0.5) / 32
        >>> symmetry_gain(zigzag(x, 2, 2), 2, 2, error=1e-6)  # a zig-zag of four flanks
        Cost(shallow=15, deep=15, folds=0)
    """
    n = len(y)
    if most < 0 or n == 0 or n % p**most:
        raise InputError(f"the number of points must be a multiple of p^most = {p**most}, got {n}")
    x = (torch.arange(n, dtype=y.dtype) + 0.5) / n
    shallow = shallow_parameters(pieces_needed(x, y, error))
    best = (shallow, 0)
    for folds in range(1, most + 1):
        mean, miss = folded_mean(y, p**folds)
        if miss > error:
            continue
        left = pieces_needed(x[: len(mean)] * p**folds, mean, error)
        best = min(best, (folds * fold_parameters(p) + shallow_parameters(left), folds))
    return Cost(shallow, *best)


def folded_mean(y: Float[Tensor, " n"], copies: int) -> tuple[Float[Tensor, " c"], float]:
    """The mean of the copies, every other one mirrored, and how far they are from it (rms).

    Example:
        >>> mean, miss = folded_mean(torch.tensor([0.0, 1, 1, 0]).double(), 2)
        >>> mean.tolist(), miss
        ([0.0, 1.0], 0.0)
    """
    if len(y) % copies:
        raise InputError(f"{len(y)} points cannot be divided into {copies} equal copies")
    rows = y.reshape(copies, -1).clone()
    rows[1::2] = rows[1::2].flip(1)
    mean = rows.mean(dim=0)
    return mean, float((rows - mean).square().mean().sqrt())
