r"""Permutation matrices: one 1 in each row and column, zeros elsewhere.

:source: Perez Jensen (2025), Deep Learning, Section 2.2.
:covers: hidden-unit-permutation-symmetry
:erratum: [missing hypothesis] A footnote of the notes asks of a permutation matrix only that its
    rows and columns sum to 1; entries in {0, 1} are also needed. The average 11ᵀ/m has the sums
    and is no permutation; the claim hidden_unit_permutation shows that a network changes under it.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


def checked_permutation(perm: Sequence[int] | Tensor, m: int) -> list[int]:
    """The permutation of 0, ..., m-1 as a list; anything else is refused.

    Example:
        >>> checked_permutation([2, 0, 1], 3)
        [2, 0, 1]
    """
    order = [int(p) for p in perm]
    if sorted(order) != list(range(m)):
        raise InputError(f"a permutation of {m} units lists each of 0 to {m - 1} once, got {order}")
    return order


def permutation_matrix(perm: Sequence[int] | Tensor) -> Float[Tensor, "m m"]:
    """The matrix ``P`` with ``(P v)[i] = v[perm[i]]``.

    Example:
        >>> (permutation_matrix([2, 0, 1]) @ torch.tensor([5.0, 6.0, 7.0]).double()).tolist()
        [7.0, 5.0, 6.0]
    """
    order = checked_permutation(perm, len(perm))
    return torch.eye(len(order), dtype=torch.float64)[order]


def is_permutation_matrix(P: Float[Tensor, "m n"]) -> bool:
    """Entries 0 and 1 only, and one 1 in each row and in each column.

    Example:
        >>> is_permutation_matrix(torch.full((2, 2), 0.5)), is_permutation_matrix(torch.eye(2))
        (False, True)
    """
    zero_or_one = bool(((P == 0) | (P == 1)).all())
    return zero_or_one and bool((P.sum(0) == 1).all()) and bool((P.sum(1) == 1).all())
