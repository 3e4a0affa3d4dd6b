r"""Truncated singular value decompositions and the best approximation of low rank.

.. math:: X_r=U_r\Sigma_rV_r^\top,\qquad
   \min_{\operatorname{rank}Y\le r}\|X-Y\|_F=\|X-X_r\|_F=\Bigl(\sum_{i>r}\sigma_i^2\Bigr)^{1/2}.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.3, Theorem 12; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Theorem 2; Eckart and Young (1936), "The
    approximation of one matrix by another of lower rank"; Halko, Martinsson and Tropp (2011),
    "Finding structure with randomness".
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_finite


class LowRank(NamedTuple):
    """``U diag(s) Vt`` with orthonormal columns of ``U`` and rows of ``Vt``."""

    U: Float[Tensor, "a r"]
    s: Float[Tensor, " r"]
    Vt: Float[Tensor, "r b"]

    def matrix(self) -> Float[Tensor, "a b"]:
        """The product."""
        return (self.U * self.s) @ self.Vt


class BestLowRank(NamedTuple):
    """A minimiser, the least distance, and whether no other matrix attains it."""

    matrix: Float[Tensor, "a b"]
    error: float
    unique: bool


class Competitors(NamedTuple):
    """Distances from ``X`` of matrices of rank at most ``r`` that were found without its SVD."""

    random: Float[Tensor, " k"]  # X projected on random subspaces of dimension r
    optimised: Float[Tensor, " sweeps"]  # after each sweep of alternating least squares


def truncated_svd(X: Float[Tensor, "a b"], r: int) -> LowRank:
    r"""The ``r`` leading singular triplets; :math:`O(ab\min(a,b))` operations.

    Example:
        >>> X = torch.diag(torch.tensor([3.0, 2.0, 1.0]))
        >>> truncated_svd(X, 2).s.tolist(), (X - truncated_svd(X, 2).matrix()).norm().item()
        ([3.0, 2.0], 1.0)

    :covers: truncated-svd
    """
    _check(X, r)
    U, s, Vt = torch.linalg.svd(X, full_matrices=False)
    return LowRank(U[:, :r], s[:r], Vt[:r])


def randomized_svd(
    X: Float[Tensor, "a b"], r: int, *, oversample: int = 10, power: int = 2, rng: Generator
) -> LowRank:
    r"""The same, nearly, from products with a few vectors: :math:`O(ab(r+p)(1+q))` operations.

    A random subspace of dimension :math:`r+p` is sent through :math:`X(X^\top X)^q`; the matrix is
    then decomposed within it. Exact when :math:`\operatorname{rank}X\le r+p`.

    Args:
        X: The matrix.
        r: Triplets to keep.
        oversample: Extra dimensions p.
        power: Power iterations q; more of them separate slowly decaying singular values.
        rng: Draws the subspace.

    Example:
        >>> X = torch.diag(torch.tensor([3.0, 2.0, 1.0]))
        >>> found = randomized_svd(X, 1, rng=torch.Generator().manual_seed(0))
        >>> round(found.s.item(), 5)
        3.0
    """
    _check(X, r)
    if oversample < 0 or power < 0:
        raise InputError(
            f"oversample and power must be >= 0, got oversample={oversample}, power={power}"
        )
    width = min(r + oversample, *X.shape)
    start = torch.randn(X.shape[1], width, generator=rng, device=rng.device, dtype=X.dtype)
    Q = torch.linalg.qr(X @ start).Q
    for _ in range(power):
        Q = torch.linalg.qr(X @ torch.linalg.qr(X.T @ Q).Q).Q
    U, s, Vt = torch.linalg.svd(Q.T @ X, full_matrices=False)
    return LowRank(Q @ U[:, :r], s[:r], Vt[:r])


def tail_energy(X: Float[Tensor, "a b"], r: int) -> float:
    r"""The sum :math:`\sum_{i>r}\sigma_i^2`; for ``r = 0`` all of :math:`\|X\|_F^2`.

    Example:
        >>> tail_energy(torch.diag(torch.tensor([3.0, 2.0, 1.0])), 1)
        5.0
    """
    check_finite("X", X)
    if r < 0:
        raise InputError(f"r must be at least 0, got {r}")
    return float(torch.linalg.svdvals(X)[r:].square().sum())


def best_low_rank(X: Float[Tensor, "a b"], r: int) -> BestLowRank:
    r"""The nearest matrix of rank at most ``r``, unique iff :math:`\sigma_r>\sigma_{r+1}`.

    It is unique, too, when the rank of ``X`` is at most ``r``: it is ``X`` itself. Singular values
    count as equal when they differ by no more than rounding.

    Example:
        >>> found = best_low_rank(torch.diag(torch.tensor([3.0, 2.0, 2.0])), 2)
        >>> found.error, found.unique
        (2.0, False)

    :covers: eckart-young
    """
    _check(X, r)
    U, s, Vt = torch.linalg.svd(X, full_matrices=False)
    rest, rounding = s[r:], max(X.shape) * torch.finfo(X.dtype).eps * float(s[0])
    last = float(rest[0]) if len(rest) else 0.0
    unique = last <= rounding or float(s[r - 1]) - last > rounding
    return BestLowRank((U[:, :r] * s[:r]) @ Vt[:r], float(rest.norm()), unique)


def competitors(
    X: Float[Tensor, "a b"], r: int, *, random: int = 32, sweeps: int = 20, rng: Generator
) -> Competitors:
    r"""Matrices of rank at most ``r`` that try to be nearer to ``X``, by their distances.

    One kind is :math:`QQ^\top X` for random subspaces Q, the best with that column space; the
    other alternates: the best left factor for the right one, then the reverse.

    Example:
        >>> X = torch.diag(torch.tensor([3.0, 2.0, 1.0], dtype=torch.float64))
        >>> found = competitors(X, 2, rng=torch.Generator().manual_seed(0))
        >>> bool((found.random >= 1 - 1e-12).all()), round(found.optimised[-1].item(), 6)
        (True, 1.0)
    """
    _check(X, r)
    draw = torch.randn(random + 1, len(X), r, generator=rng, device=rng.device, dtype=X.dtype)
    Q = torch.linalg.qr(draw).Q
    tried = torch.linalg.matrix_norm(X - Q @ (Q.mT @ X))
    U, errors = Q[-1], []
    for _ in range(sweeps):
        V = torch.linalg.qr(X.T @ U).Q  # the rows that fit best are spanned by X^T U
        U = torch.linalg.qr(X @ V).Q
        errors.append(torch.linalg.matrix_norm(X - U @ (U.T @ X)))
    return Competitors(tried[:-1], torch.stack(errors))


def _check(X: Tensor, r: int) -> None:
    check_finite("X", X)
    if not 1 <= r <= min(X.shape):
        raise InputError(f"r must lie between 1 and {min(X.shape)}, got {r}")
