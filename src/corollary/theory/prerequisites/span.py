r"""Span and column space.

.. math:: \operatorname{span}(v_1,\dots,v_k)=\{Vc:c\in\mathbb{R}^k\},\qquad V=[v_1\cdots v_k]

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.1.1.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.singular import rank_cutoff
from corollary.theory.prerequisites.wellformed import check_finite, rounding


class Membership(NamedTuple):
    """Whether a vector lies in a span, and how."""

    inside: bool
    coefficients: Tensor  # c of the nearest point Vc, the shortest such c
    distance: float  # from b to the span


def column_space(A: Float[Tensor, "m n"], *, tol: float | None = None) -> Float[Tensor, "m r"]:
    """An orthonormal basis of the span of the columns: one vector for each unit of rank.

    Args:
        A: Columns.
        tol: Singular values up to ``tol`` times the largest count as 0.

    Example:
        >>> A = torch.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=torch.float64)
        >>> column_space(A).abs().flatten().square()  # every column is a multiple of (1, 2)
        tensor([0.2000, 0.8000], dtype=torch.float64)
    """
    check_finite("A", A)
    U, s, _ = torch.linalg.svd(A, full_matrices=False)
    basis: Tensor = U[:, s > rank_cutoff(A, s, tol)]
    return basis


def span_contains(
    V: Float[Tensor, "m k"], b: Float[Tensor, " p"], *, tol: float | None = None
) -> Membership:
    r"""Whether :math:`b=Vc` for some :math:`c`, which is given too.

    Args:
        V: The spanning vectors as columns.
        b: The vector asked about.
        tol: Distance, relative to the length of ``b``, that still counts as inside.

    Example:
        >>> V = torch.tensor([[-3.0, 2.0], [2.0, 3.0]], dtype=torch.float64)
        >>> found = span_contains(V, torch.tensor([0.5, 4.0], dtype=torch.float64))
        >>> found.inside, found.coefficients
        (True, tensor([0.5000, 1.0000], dtype=torch.float64))

    :covers: span-column-space
    :test: tests/theory/prerequisites/test_span.py
    :erratum: [typo] Both worked displays of the notes call the second column v_1 as well; it is
        v_2, for 0.5 (-3, 2) + 1 (2, 3) = (0.5, 4).
    """
    check_finite("V", V)
    check_finite("b", b)
    if len(b) != len(V):
        raise InputError(f"b must have as many entries as V has rows, got {len(b)} and {len(V)}")
    c = torch.linalg.pinv(V) @ b
    distance, length = float((V @ c - b).norm()), float(b.norm())
    tol = 8 * rounding(V) if tol is None else tol
    return Membership(distance <= tol * length, c, distance)


def parallelogram(V: Float[Tensor, "m 2"]) -> Float[Tensor, "4 m"]:
    r"""The corners of :math:`\{Vc:c\in[0,1]^2\}`, in the order in which one walks around it.

    Example:
        >>> parallelogram(torch.eye(2)).tolist()
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    """
    check_finite("V", V)
    return V.new_tensor([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]) @ V.T
