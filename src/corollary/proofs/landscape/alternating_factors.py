r"""The loss is a parabola in A as well; the turns go down, and the leading directions win.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 43.
:supplied: The notes leave the proof of Theorem 43 as an exercise.
"""

import torch

from corollary.claims.landscape.alternating_factors import AlternatingFactors, Given
from corollary.core import Proof, eq, ge, le, let
from corollary.theory.landscape.two_layer_linear import (
    explained,
    optimal_A,
    optimal_B,
    reduced_rank_loss,
    two_layer_loss,
)


def proof(claim: AlternatingFactors, given: Given) -> Proof:
    X, Y, B = given
    A = optimal_A(B, X, Y)
    V = 0.01 * torch.ones_like(A)
    Syx, Sxx = Y @ X.T, X @ X.T
    yield "For fixed B and any V:"
    yield let("L(A+V)", two_layer_loss(A + V, B, X, Y))
    slope, bend = (A @ B @ Sxx - Syx) @ B.T, (V @ B @ X).square().sum() / 2
    here = two_layer_loss(A, B, X, Y)
    whole = here + (slope * V).sum() + bend
    yield eq(r"L(A) + \langle\nabla_AL(A), V\rangle + \tfrac12\|VBX\|^2", whole, "expanded")
    yield eq(r"L(A) + \tfrac12\|VBX\|^2", here + bend, "AB S_xx Bᵀ = S_yx Bᵀ: the slope is 0")
    yield ge("L(A)", here, "a square is not negative")
    yield "So no turn goes up; after many, A spans the leading eigenvectors of Σ."
    losses = [here]
    for _ in range(claim.sweeps):
        B = optimal_B(A, X, Y)
        A = optimal_A(B, X, Y)
        losses.append(two_layer_loss(A, B, X, Y))
    yield let(r"L_{t+1}", torch.stack(losses[1:]))
    yield le(r"L_t", torch.stack(losses[:-1]), "each turn minimises")
    values, U = explained(X, Y)
    p = len(B)
    Q = torch.linalg.qr(A).Q
    yield let(r"\|U_p^\top P_AU_p\|^2", (U[:, :p].T @ Q @ Q.T @ U[:, :p]).square().sum())
    by = "a power iteration with Σ, whose gap is at least 2, from a start that sees all"
    yield eq("p", float(p), by, within=1e-8)
    yield let(r"L_\infty", losses[-1])
    least = reduced_rank_loss(X, Y, p)
    by = "what p eigenvectors explain"
    tex = r"\tfrac12(\operatorname{tr}S_{yy} - \sum_{i\le p}\lambda_i)"
    yield eq(tex, ((Y**2).sum() - values[:p].sum()) / 2, by)
    yield eq(r"\min L", least, "Eckart and Young")
