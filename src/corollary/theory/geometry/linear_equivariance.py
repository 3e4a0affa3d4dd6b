r"""All linear maps that do not see an order.

A matrix :math:`W\in\mathbb{R}^{M\times M}` is equivariant, :math:`WP=PW` for all permutation
matrices, iff :math:`W=\lambda I+\gamma\mathbf{1}\mathbf{1}^\top`: the space has dimension 2 for
:math:`M\ge2`. Two permutations generate all others, so two equations decide.

:source: Perez Jensen (2025), Deep Learning, Section 7.2; Zaheer, Kottur, Ravanbakhsh, Poczos,
    Salakhutdinov and Smola (2017), "Deep sets", Lemma 3.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.networks.permutations import permutation_matrix


def generators(M: int) -> list[list[int]]:
    """A transposition and the cycle of all rows: their products are all permutations.

    Example:
        >>> generators(3)
        [[1, 0, 2], [1, 2, 0]]
    """
    if M < 1:
        raise InputError(f"a set needs at least one element, got M={M}")
    rows = list(range(M))
    return [rows[:2][::-1] + rows[2:], rows[1:] + rows[:1]]


def equivariant_maps(
    M: int, perms: Sequence[Sequence[int]] | None = None
) -> Float[Tensor, "k M M"]:
    r"""An orthonormal basis of the matrices with :math:`WP=PW` for the given permutations.

    Without ``perms`` for all of them. The null space of
    :math:`P\otimes I-I\otimes P^\top` acting on the entries of W; O(M^6) time, O(M^4) memory.

    Example:
        >>> len(equivariant_maps(4)), len(equivariant_maps(1))
        (2, 1)
        >>> len(equivariant_maps(4, [[1, 2, 3, 0]]))  # the cycle alone: circulant matrices
        4

    :covers: deep-sets-equivariant
    """
    if not 1 <= M <= 24:
        raise InputError(f"the null space is computed for 1 to 24 elements, got M={M}")
    eye = torch.eye(M, dtype=torch.float64)
    rows = []
    for perm in generators(M) if perms is None else perms:
        P = permutation_matrix(perm)
        rows.append(torch.kron(P, eye) - torch.kron(eye, P.T.contiguous()))  # of vec(PW - WP)
    values, vectors = torch.linalg.eigh(sum(row.T @ row for row in rows))
    kernel: Tensor = vectors[:, values < 1e-9]
    return kernel.T.reshape(-1, M, M)
