r"""At a critical point the residual is orthogonal to the columns of A.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 44; here for A of any rank.
"""

import torch

from corollary.claims.landscape.baldi_hornik_map import Given
from corollary.core import Proof, eq, let
from corollary.theory.landscape.two_layer_linear import two_layer_gradients


def proof(given: Given) -> Proof:
    X, Y, pairs = given
    Syx, Sxx = Y @ X.T, X @ X.T
    A, B = (torch.stack(factors) for factors in zip(*pairs, strict=True))
    ols = torch.linalg.solve(Sxx, Syx, left=False)
    slopes = torch.stack([two_layer_gradients(a, b, Syx, Sxx).in_B for a, b in pairs])
    yield let(r"A^\top AB", A.mT @ A @ B)
    moved = A.mT @ ols + torch.linalg.solve(Sxx, slopes, left=False)
    tex = r"A^\top S_{yx}S_{xx}^{-1} + \nabla_BL\,S_{xx}^{-1}"
    yield eq(tex, moved, "∇_B L = AᵀAB S_xx − Aᵀ S_yx, and S_xx is invertible")
    yield eq(r"A^\top S_{yx}S_{xx}^{-1}", A.mT @ ols, "the point is critical in B")
    P = A @ torch.linalg.pinv(A)
    yield "Times A(AᵀA)⁺, which makes P_A = A(AᵀA)⁺Aᵀ of Aᵀ:"
    yield let("AB", A @ B)
    yield eq("P_AAB", P @ A @ B, "P_A keeps the columns of A")
    yield eq(r"P_AS_{yx}S_{xx}^{-1}", P @ ols, "the equation above")
