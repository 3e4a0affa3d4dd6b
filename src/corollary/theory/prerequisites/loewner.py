r"""Positive semi-definite matrices and the Loewner order.

For symmetric A: :math:`A\succeq0\iff u^\top Au\ge0` for all u :math:`\iff` all eigenvalues are
:math:`\ge0`; :math:`A\succeq B\iff A-B\succeq0`, a partial order only.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 1.1.3 and 1.4.1, Definition 5.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_symmetric, rounding


class Definiteness(NamedTuple):
    """Whether a symmetric matrix is positive semi-definite, with the direction that decides."""

    holds: bool
    smallest: float  # the smallest eigenvalue
    direction: Tensor  # its eigenvector: u^T A u = smallest


def is_psd(A: Float[Tensor, "m n"], *, tol: float | None = None) -> Definiteness:
    r"""Whether :math:`u^\top Au\ge0` for all u, for symmetric ``A`` (others are refused).

    Args:
        A: Symmetric.
        tol: Negative eigenvalues down to ``-tol`` times the largest modulus are put to rounding.

    Example:
        >>> is_psd(torch.tensor([[1.0, 2.0], [2.0, 1.0]])).holds
        False

    :covers: loewner-order
    :test: tests/theory/prerequisites/test_loewner.py
    :erratum: [missing hypothesis] Section 1.4.1 recalls the equivalence of u^T A u >= 0 with
        non-negative eigenvalues for "a matrix"; it needs symmetry (stated in 1.1.3 and Definition
        5). [[1, -10], [0, 1]] has eigenvalues 1, 1, but u = (1, 1) gives -8.
    """
    check_symmetric("A", A)
    values, vectors = torch.linalg.eigh((A + A.T) / 2)
    slack = (rounding(A) if tol is None else tol) * float(values.abs().max())
    return Definiteness(bool(values[0] >= -slack), float(values[0]), vectors[:, 0])


def loewner_leq(
    B: Float[Tensor, "m n"], A: Float[Tensor, "p q"], *, tol: float | None = None
) -> Definiteness:
    r"""Whether :math:`B\preceq A`; if not, ``direction`` has :math:`u^\top Bu>u^\top Au`.

    Example:
        >>> A, B = torch.diag(torch.tensor([1.0, 0.0])), torch.diag(torch.tensor([0.0, 1.0]))
        >>> loewner_leq(B, A).holds, loewner_leq(A, B).holds  # incomparable
        (False, False)
    """
    check_symmetric("A", A)
    check_symmetric("B", B)
    if A.shape != B.shape:
        raise InputError(
            f"A and B must have the same size, got {tuple(A.shape)} and {tuple(B.shape)}"
        )
    return is_psd(A - B, tol=tol)
