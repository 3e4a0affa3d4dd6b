r"""Projected on its leading directions, the data is its own best approximation.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.3, proof of Theorem 13.
"""

import torch

from corollary.claims.networks.optimal_linear_autoencoder import Given, OptimalLinearAutoencoder
from corollary.core import Proof, eq, ge, let


def proof(claim: OptimalLinearAutoencoder, given: Given) -> Proof:
    X, m = given.x.T, claim.d // 2
    U, S, Vh = torch.linalg.svd(X, full_matrices=False)
    Um = torch.linalg.svd(given.taken.T, full_matrices=False).U[:, :m]
    block = torch.zeros(m, len(S), dtype=X.dtype)
    block[:, :m] = torch.eye(m)
    yield let("DCX", Um @ (Um.T @ X))
    yield eq(r"U_m(U_m^\top U)\Sigma V^\top", Um @ (Um.T @ U) * S @ Vh, "the decomposition of X")
    yield eq(r"U_m[I_m\;0]\Sigma V^\top", Um @ block * S @ Vh, "the columns of U are orthonormal")
    yield eq(r"U_m\Sigma_mV_m^\top", U[:, :m] * S[:m] @ Vh[:m], "the block keeps m of them")
    yield "The rest is what no pair can keep (Eckart and Young)."
    C, D = torch.linalg.qr(given.G[:, :m]).Q.T, torch.linalg.qr(given.G[:, :m]).Q
    yield let(r"\|X - D'C'X\|^2", (X - D @ C @ X).square().sum())
    by = "D'C'X has rank at most m; here another projection of that rank"
    yield ge(r"\sum_{i>m}\sigma_i^2", S[m:].square().sum(), by)
    by = "orthogonal parts"
    yield eq(r"\|X - DCX\|^2", (X - Um @ Um.T @ X).square().sum(), by)


def tight(claim: OptimalLinearAutoencoder) -> Given:
    """Data of one size in all directions: every projection is as good."""
    x = 2 * torch.eye(claim.d, dtype=torch.float64)
    return Given(x, x, torch.ones_like(x).tril())


def as_printed(claim: OptimalLinearAutoencoder, given: Given) -> Proof:
    """The notes write UₘᵀU = Iₘ; it is the m × d block [Iₘ 0], and the shapes do not fit."""
    m = claim.d // 2
    U = torch.linalg.svd(given.x.T, full_matrices=False).U
    padded = torch.zeros(len(U), len(U), dtype=U.dtype)
    padded[:m] = U[:, :m].T @ U
    yield let(r"U_m^\top U", padded)
    yield eq("I_d", torch.eye(len(U), dtype=U.dtype), "as printed, at its size", wrong=True)
