r"""Eigenvectors of AᵀA are sent to orthogonal vectors.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.4.2, Theorem 6; Golub and Van Loan
    (2013), Matrix Computations, Section 2.4.
:supplied: The notes omit the proof of Theorem 6 and refer to a textbook.
"""

import torch

from corollary.claims.prerequisites.singular_vectors import Given
from corollary.core import Proof, eq, let


def proof(given: Given) -> Proof:
    A, r = given
    squares, V = torch.linalg.eigh(A.T @ A)
    squares, V = squares.flip(0)[:r], V.flip(1)
    sigma, first = squares.sqrt(), V[:, :r]
    U = A @ first / sigma
    yield "AᵀA is symmetric: take an orthonormal basis V of its eigenvectors, and u_i = Av_i / σ_i."
    yield let(r"U_r^\top U_r", U.T @ U)
    inner = first.T @ (A.T @ A) @ first / sigma / sigma[:, None]
    yield eq(r"\Sigma^{-1}V_r^\top A^\top AV_r\Sigma^{-1}", inner, "the definition of U")
    yield eq(r"\Sigma^{-1}\Sigma^2\Sigma^{-1}", torch.diag(squares / sigma**2), "eigenvectors")
    yield eq("I", torch.eye(r, dtype=A.dtype), "the first r eigenvalues are positive")
    yield "The other eigenvectors are sent to 0, for |Av|² = vᵀAᵀAv = 0."
    yield let("A", A)
    yield eq(r"AVV^\top", A @ V @ V.T, "V is orthogonal")
    yield eq(r"AV_rV_r^\top", A @ first @ first.T, "the others go to 0")
    yield eq(r"\sum_{i\le r}\sigma_iu_iv_i^\top", U * sigma @ first.T, "the definition of U")
    yield "So the columns of U span what A reaches."
    yield let(r"U_rU_r^\top", U @ U.T)
    reach = A @ first / sigma**2 @ first.T @ A.T
    yield eq(r"AV_r\Sigma^{-2}V_r^\top A^\top", reach, "the definition of U")
    yield eq("AA^+", A @ torch.linalg.pinv(A), "the pseudoinverse is V Σ⁻² Vᵀ Aᵀ")


def as_printed(given: Given) -> Proof:
    """The notes take all columns of U for a basis of the column space."""
    U = torch.linalg.svd(given.A).U
    yield let(r"UU^\top", U @ U.T)
    by = "all columns of U, as printed"
    yield eq("AA^+", given.A @ torch.linalg.pinv(given.A), by, wrong=True)
