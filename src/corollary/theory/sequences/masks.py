r"""Masks: which position may read which.

A mask is a boolean matrix, true at (i, j) where position i may read position j. Added to the
scores it is

.. math:: M_{ij}=0\text{ where } i \text{ may read } j,\qquad M_{ij}=-\infty\text{ elsewhere},

so that the weights after the softmax are exactly zero there. The causal mask allows
:math:`j\le i`: its weights are lower triangular and position i knows no later one.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5 and Figure 10.23; Vaswani,
    Shazeer, Parmar et al. (2017), "Attention is all you need", Section 3.2.3.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from corollary.errors import InputError, InputTypeError


def causal_mask(
    n: int, *, past: int = 0, device: torch.device | str | None = None
) -> Bool[Tensor, "n t"]:
    """True at (i, j) for j <= i: no position reads a later one.

    With ``past`` positions before them, all of which may be read, the n rows are the last ones of
    the mask of ``past + n`` positions.

    Example:
        >>> causal_mask(3).int().tolist()
        [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
        >>> causal_mask(2, past=1).int().tolist()
        [[1, 1, 0], [1, 1, 1]]

    :covers: causal-mask
    """
    if n < 0 or past < 0:
        raise InputError(f"expected n >= 0 and past >= 0 positions, got n={n}, past={past}")
    return torch.ones(n, past + n, dtype=torch.bool, device=device).tril(past)


def padding_mask(
    lengths: Sequence[int] | Int[Tensor, " b"], n: int | None = None
) -> Bool[Tensor, "b 1 n"]:
    """True where a sequence of the batch has a token; the positions after it are padding.

    Every position of sequence b may read the first ``lengths[b]`` of ``n`` positions (by default
    the longest length), so the mask has one row, which is broadcast.

    Example:
        >>> padding_mask([2, 3]).int().tolist()
        [[[1, 1, 0]], [[1, 1, 1]]]
    """
    sizes = torch.as_tensor(lengths)
    if sizes.ndim != 1 or len(sizes) == 0 or int(sizes.min()) < 0:
        raise InputError(f"padding_mask needs one length >= 0 per sequence, got {lengths}")
    longest = int(sizes.max())
    n = longest if n is None else n
    if n < longest:
        raise InputError(f"a sequence of {longest} tokens does not fit into n={n} positions")
    return torch.arange(n, device=sizes.device) < sizes[:, None, None]


def combine(*masks: Bool[Tensor, "..."] | None) -> Bool[Tensor, "..."] | None:
    """What all masks allow; ``None`` stands for a mask that allows everything.

    Example:
        >>> combine(causal_mask(3), padding_mask([2, 3]))[0].int().tolist()
        [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    """
    both = None
    for mask in masks:
        if mask is None:
            continue
        if mask.dtype != torch.bool:
            raise InputTypeError(
                f"expected boolean masks (True where a position may be read), got {mask.dtype}"
            )
        both = mask if both is None else _both(both, mask)
    return both


def _both(a: Tensor, b: Tensor) -> Tensor:
    try:
        return a & b
    except RuntimeError as error:
        raise InputError(
            f"masks of shapes {tuple(a.shape)} and {tuple(b.shape)} cannot be combined"
        ) from error


def additive(mask: Bool[Tensor, "*s"], dtype: torch.dtype = torch.float64) -> Float[Tensor, "*s"]:
    r"""The same mask as numbers to add to the scores: 0 or :math:`-\infty`.

    Example:
        >>> additive(causal_mask(2)).tolist()
        [[0.0, -inf], [0.0, 0.0]]
    """
    if mask.dtype != torch.bool:
        raise InputTypeError(f"expected a boolean mask, got {mask.dtype}")
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, -torch.inf)
