r"""Composition of affine maps: many layers, one matrix and one offset.

.. math:: W=W_L\cdots W_1,\qquad b=\sum_{l=1}^LW_L\cdots W_{l+1}b_l,\qquad
   \operatorname{rank}W\le\min_l\operatorname{rank}W_l .

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.2.3, Theorem 11; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Theorem 1; Perez Jensen (2025), Deep
    Learning, Section 2.3.
"""

from collections.abc import Sequence
from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


class AffineMap(NamedTuple):
    """``x -> W x + b``."""

    W: Float[Tensor, "m n"]
    b: Float[Tensor, " m"]

    def apply(self, x: Float[Tensor, "*k n"]) -> Float[Tensor, "*k m"]:
        """The values at points given as rows."""
        return x @ self.W.T + self.b


def composed(maps: Sequence[AffineMap]) -> AffineMap:
    """The one affine map that equals the given ones, applied in their order.

    Example:
        >>> import torch
        >>> twice = AffineMap(torch.tensor([[2.0]]), torch.tensor([1.0]))  # 2 x + 1
        >>> W, b = composed([twice, twice])  # 4 x + 3
        >>> W.item(), b.item()
        (4.0, 3.0)
    """
    if not maps:
        raise InputError("a composition needs at least one map, got none")
    W, b = maps[0]
    _check(1, W, b)
    for number, (V, c) in enumerate(maps[1:], start=2):
        _check(number, V, c)
        if V.shape[1] != W.shape[0]:
            raise InputError(
                f"map {number} expects {V.shape[1]} inputs, but the map before it has "
                f"{len(W)} outputs"
            )
        W, b = V @ W, V @ b + c
    return AffineMap(W, b)


def _check(number: int, W: Tensor, b: Tensor) -> None:
    if W.ndim != 2 or b.shape != W.shape[:1]:
        raise InputError(
            f"map {number} needs a matrix and an offset with one entry per row, got shapes "
            f"{tuple(W.shape)} and {tuple(b.shape)}"
        )
