r"""Orthogonal matrices: :math:`QQ^\top=Q^\top Q=I`, so :math:`Q^{-1}=Q^\top`, :math:`\|Qx\|=\|x\|`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.4.2, Definitions 6 and 7, Theorem 7;
    Mezzadri (2007), "How to generate random matrices from the classical compact groups".
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_finite, rounding


def is_orthogonal(Q: Float[Tensor, "m n"], *, tol: float | None = None) -> bool:
    r"""Whether ``Q`` is square with orthonormal rows and columns.

    A tall matrix with orthonormal columns is not orthogonal: :math:`QQ^\top` is a projector then.

    Example:
        >>> rotation = torch.tensor([[0.6, -0.8], [0.8, 0.6]])
        >>> is_orthogonal(rotation), is_orthogonal(torch.eye(3)[:, :2])
        (True, False)

    :covers: orthogonal-matrix
    :test: tests/theory/prerequisites/test_orthogonal.py
    """
    check_finite("Q", Q)
    if Q.shape[0] != Q.shape[1]:
        return False
    off = float((Q @ Q.T - torch.eye(len(Q)).to(Q)).abs().max())
    return off <= (rounding(Q) if tol is None else tol)


def random_orthogonal(
    n: int, *, rng: Generator, dtype: torch.dtype = torch.float64
) -> Float[Tensor, "n n"]:
    """A uniformly (Haar) distributed orthogonal matrix.

    The QR factorisation of a normal matrix, with the signs of R's diagonal moved into Q: without
    that step the law depends on the convention of the factorisation.

    Example:
        >>> is_orthogonal(random_orthogonal(5, rng=torch.Generator()))
        True
    """
    if n < 1:
        raise InputError(f"n must be at least 1, got {n}")
    normal = torch.randn(n, n, generator=rng, device=rng.device, dtype=dtype)
    Q, R = torch.linalg.qr(normal)
    drawn: Tensor = Q * torch.where(R.diagonal() < 0, -1.0, 1.0).to(Q)
    return drawn
