r"""Laws of matrix multiplication, the inverse and the trace.

.. math:: A(B+C)=AB+AC,\quad (AB)C=A(BC),\quad AA^{-1}=A^{-1}A=I,\quad
    \operatorname{tr}(AB)=\operatorname{tr}(BA),\quad \operatorname{tr}A=\sum_i\lambda_i(A)

:source: Lucchi (2025), Foundations of Deep Learning, Sections 1.1.2 and 1.4.1; Hutchinson (1990),
    "A stochastic estimator of the trace of the influence matrix for Laplacian smoothing splines".
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.singular import numerical_rank
from corollary.theory.prerequisites.wellformed import check_finite, check_square


class TraceEstimate(NamedTuple):
    """The mean of the draws and its standard error."""

    value: float
    error: float
    draws: Tensor


def commutator(A: Float[Tensor, "n n"], B: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
    """``AB - BA``: zero iff the two commute, as diagonal matrices do.

    Example:
        >>> commutator(torch.tensor([[0.0, 1], [0, 0]]), torch.tensor([[0.0, 0], [1, 0]])).tolist()
        [[1.0, 0.0], [0.0, -1.0]]

    :covers: matrix-algebra-laws
    """
    check_square("A", A)
    check_square("B", B)
    return A @ B - B @ A


def inverse(A: Float[Tensor, "m n"]) -> Float[Tensor, "m n"]:
    """The inverse, refused when ``A`` has none to working precision.

    Example:
        >>> inverse(torch.tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
        [[0.5, 0.0], [0.0, 0.25]]
    """
    check_square("A", A)
    rank = numerical_rank(A)
    if rank < len(A):
        raise InputError(
            f"A must be invertible, but its rank is {rank} and its size is {len(A)}; "
            "torch.linalg.pinv gives the least-squares inverse"
        )
    inverse: Tensor = torch.linalg.inv(A)
    return inverse


def law_residuals(
    A: Float[Tensor, "m k"], B: Float[Tensor, "k n"], C: Float[Tensor, "k n"]
) -> dict[str, float]:
    r"""How far each law is from holding in floating point, relative to the size of its terms.

    Example:
        >>> one = torch.ones(1, 1)
        >>> set(law_residuals(one, 2 * one, 3 * one).values())
        {0.0}
    """
    for name, a in (("A", A), ("B", B), ("C", C)):
        check_finite(name, a)
    triple = [
        ("A(B + C) = AB + AC", A @ (B + C), A @ B + A @ C),
        ("(B + C)^T A^T = B^T A^T + C^T A^T", (B + C).T @ A.T, B.T @ A.T + C.T @ A.T),
        ("(A B) C^T = A (B C^T)", (A @ B) @ C.T, A @ (B @ C.T)),
        ("(A B)^T = B^T A^T", (A @ B).T, B.T @ A.T),
    ]
    return {law: float((p - q).norm() / max(float(q.norm()), 1e-300)) for law, p, q in triple}


def trace_residuals(A: Float[Tensor, "m n"], B: Float[Tensor, "n m"]) -> dict[str, float]:
    r"""The trace laws on :math:`AB`, relative to :math:`\|A\|_F\|B\|_F`.

    Example:
        >>> A = torch.tensor([[0.0, 1.0], [-1.0, 0.0]])  # eigenvalues i and -i, trace 0
        >>> max(trace_residuals(A, torch.eye(2)).values())
        0.0

    :covers: trace-properties
    :test: tests/theory/prerequisites/test_matrix_algebra.py
    """
    check_finite("A", A)
    check_finite("B", B)
    M, size = A @ B, max(float(A.norm() * B.norm()), 1e-300)
    eigenvalue_sum = torch.linalg.eigvals(M).sum()
    return {
        "tr(2M - 3M) = 2 tr M - 3 tr M": abs(float((2 * M - 3 * M).trace() + M.trace())) / size,
        "tr(AB) = tr(BA)": abs(float(M.trace() - (B @ A).trace())) / size,
        "tr M^T = tr M": abs(float(M.T.trace() - M.trace())) / size,
        "tr M = sum of eigenvalues": float((eigenvalue_sum - M.trace()).abs()) / size,
    }


def hutchinson_trace(
    matvec: Callable[[Tensor], Tensor], n: int, samples: int, *, rng: Generator
) -> TraceEstimate:
    r"""The trace from products alone: :math:`\mathbb{E}\,z^\top Az=\operatorname{tr}A`.

    The entries of ``z`` are independent signs, so :math:`\mathbb{E}\,zz^\top=I`. Cost: ``samples``
    products, one batch.

    Args:
        matvec: Takes an ``(n, samples)`` matrix Z to A Z.
        n: Size of A.
        samples: Number of draws, at least 2.
        rng: Draws the signs.

    Example:
        >>> d = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
        >>> hutchinson_trace(lambda z: d[:, None] * z, 3, 5, rng=torch.Generator()).value
        6.0
    """
    if n < 1 or samples < 2:
        raise InputError(f"expected n >= 1 and samples >= 2, got n = {n} and samples = {samples}")
    z = torch.randint(0, 2, (n, samples), generator=rng, device=rng.device).double() * 2 - 1
    draws = (z * matvec(z)).sum(dim=0)
    return TraceEstimate(float(draws.mean()), float(draws.std() / samples**0.5), draws)
