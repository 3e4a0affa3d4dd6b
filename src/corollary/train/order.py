r"""The order of the data as a pure function of (seed, epoch, step).

Nothing is carried from one epoch to the next, so there is nothing to save, to fast-forward or to
get wrong when a run is resumed: whoever asks for step 17 of epoch 3 gets the same indices,
whatever happened before.
"""

import operator

import torch
from jaxtyping import Int
from torch import Tensor

from corollary.core.randomness import generator
from corollary.errors import InputError


def steps_in_epoch(n: int, batch_size: int | None) -> int:
    """How many batches one pass over ``n`` rows takes; the last one may be smaller.

    Example:
        >>> steps_in_epoch(10, 4), steps_in_epoch(10, None)
        (3, 1)
    """
    check_sizes(n, batch_size)
    return 1 if batch_size is None else -(-n // batch_size)


def permutation(n: int, seed: int, epoch: int) -> Int[Tensor, " n"]:
    """The order in which epoch ``epoch`` of the run with seed ``seed`` shows ``n`` rows.

    Example:
        >>> permutation(4, 0, 1).sort().values.tolist()
        [0, 1, 2, 3]
        >>> bool((permutation(99, 0, 1) == permutation(99, 0, 2)).all())
        False
    """
    return torch.randperm(n, generator=generator(seed, "order", operator.index(epoch)))


def batch_indices(
    n: int, batch_size: int | None, seed: int, epoch: int, step: int
) -> Int[Tensor, " b"]:
    """The rows of batch ``step`` (counted from 0 within the epoch) of epoch ``epoch``.

    Without a batch size, or with one that takes all rows, the batch is everything in its own
    order. Costs O(n), the price of drawing the epoch's permutation.

    Example:
        >>> parts = [batch_indices(5, 2, seed=0, epoch=3, step=t) for t in range(3)]
        >>> [len(part) for part in parts], sorted(torch.cat(parts).tolist())
        ([2, 2, 1], [0, 1, 2, 3, 4])
    """
    steps = steps_in_epoch(n, batch_size)
    if not (0 <= step < steps and epoch >= 0):
        raise InputError(
            f"an epoch of {n} rows in batches of {batch_size or n} has steps 0 to "
            f"{steps - 1}, got step {step} of epoch {epoch}"
        )
    if batch_size is None or batch_size >= n:
        return torch.arange(n)
    return permutation(n, seed, epoch)[step * batch_size : (step + 1) * batch_size]


def check_sizes(n: int, batch_size: int | None) -> None:
    """Refuse empty data and a batch size below 1."""
    if n < 1:
        raise InputError("the data is empty: training needs at least one row")
    if batch_size is not None and (isinstance(batch_size, bool) or not batch_size >= 1):
        raise InputError(
            f"batch_size must be at least 1, or None for the full batch, got {batch_size}"
        )
