r"""Singular values, rank and the singular value decomposition.

.. math:: A=UDV^\top=\sum_{i\le r}\sigma_i u_iv_i^\top,\qquad
    \sigma_i(A)=\sqrt{\lambda_i(AA^\top)}=\sqrt{\lambda_i(A^\top A)}

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.4.2, Theorem 6; Eckart and Young
    (1936), "The approximation of one matrix by another of lower rank".
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.theory.prerequisites.wellformed import check_finite


class Svd(NamedTuple):
    """``A = U D V^T`` with the largest violations of what the theorem promises."""

    U: Tensor  # (m, m)
    D: Tensor  # (m, n), diagonal
    V: Tensor  # (n, n)
    rank: int
    report: dict[str, float]  # reconstruction, orthogonality, eigenvector relations


def singular_values(
    A: Float[Tensor, "m n"], *, route: Literal["svd", "AAT", "ATA"] = "svd"
) -> Float[Tensor, " k"]:
    r"""The :math:`\min(m,n)` singular values, largest first.

    The routes through :math:`AA^\top` and :math:`A^\top A` square the condition number: values
    below :math:`\sqrt\varepsilon\,\sigma_1` have no digits there. For symmetric ``A`` the singular
    values are the moduli of the eigenvalues, sorted anew.

    Example:
        >>> singular_values(torch.diag(torch.tensor([1.0, -3.0])))
        tensor([3., 1.])

    :covers: singular-values
    :erratum: [notation] sigma_i(A) = |lambda_i(A)| for symmetric A fails index by index when both
        are sorted in decreasing order: diag(1, -3) has sigma = (3, 1) and |lambda| = (1, 3); as
        sets they agree. "U = V (i.e. A symmetric)" needs A positive semi-definite.
    """
    check_finite("A", A)
    if route == "svd":
        s: Tensor = torch.linalg.svdvals(A)
        return s
    gram = A @ A.T if route == "AAT" else A.T @ A
    values: Tensor = torch.linalg.eigvalsh(gram).flip(0)[: min(A.shape)]
    return values.clamp(min=0).sqrt()


def numerical_rank(A: Float[Tensor, "m n"], *, tol: float | None = None) -> int:
    """The number of singular values above ``tol`` times the largest.

    Example:
        >>> numerical_rank(torch.tensor([[1.0, 2.0], [2.0, 4.0]]))
        1
    """
    s = singular_values(A)
    return int((s > rank_cutoff(A, s, tol)).sum())


def rank_cutoff(A: Float[Tensor, "m n"], s: Float[Tensor, " k"], tol: float | None) -> float:
    """The singular value below which ``A`` counts as zero: numpy's rule unless ``tol`` is given."""
    relative = max(A.shape) * torch.finfo(A.dtype).eps if tol is None else tol
    return relative * float(s.max())


def svd_full(A: Float[Tensor, "m n"]) -> Svd:
    r"""The full decomposition, verified: :math:`O(mn\min(m,n))` operations.

    Only the first ``rank`` columns of ``U`` (of ``V``) span the column space (the row space); the
    others are orthogonal to it.

    Example:
        >>> found = svd_full(torch.diag(torch.tensor([1.0, 0.0], dtype=torch.float64)))
        >>> found.rank, max(found.report.values()) < 1e-15
        (1, True)

    :covers: svd-theorem
    :erratum: [loose] The columns of U are said to form a basis of the column space (and those of V
        of the row space); only the first rank(A) do. For A = diag(1, 0) the second column of U is
        orthogonal to the column space.
    """
    check_finite("A", A)
    U, s, Vt = torch.linalg.svd(A, full_matrices=True)
    D = A.new_zeros(A.shape)
    D.diagonal().copy_(s)
    report = {
        "A - U D V^T": _largest(A - U @ D @ Vt),
        "U^T U - I": _largest(U.T @ U - torch.eye(len(U)).to(U)),
        "V^T V - I": _largest(Vt @ Vt.T - torch.eye(len(Vt)).to(U)),
        "A A^T U - U D D^T": _largest(A @ A.T @ U - U @ D @ D.T),
        "A^T A V - V D^T D": _largest(A.T @ A @ Vt.T - Vt.T @ D.T @ D),
    }
    return Svd(U, D, Vt.T, int((s > rank_cutoff(A, s, None)).sum()), report)


def rank_one_terms(A: Float[Tensor, "m n"]) -> Float[Tensor, "r m n"]:
    r"""The terms :math:`\sigma_iu_iv_i^\top`, :math:`i\le\operatorname{rank}(A)`, which add to A.

    Example:
        >>> rank_one_terms(torch.diag(torch.tensor([1.0, 0.0]))).tolist()
        [[[1.0, 0.0], [0.0, 0.0]]]
    """
    check_finite("A", A)
    U, s, Vt = torch.linalg.svd(A, full_matrices=False)
    r = int((s > rank_cutoff(A, s, None)).sum())
    terms: Tensor = s[:r, None, None] * U[:, :r].T[:, :, None] * Vt[:r, None, :]
    return terms


def _largest(a: Tensor) -> float:
    return float(a.abs().max())
