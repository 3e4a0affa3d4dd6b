r"""Training adds what interpolation needs: a linear map of the start, and a shift.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 56.
"""

import torch

from corollary.claims.kernels.random_feature_final import CHECKED, Given
from corollary.core import Proof, eq, let

NEAR = 0.1  # over 2,000 draws, where variances are known to 3 %


def proof(given: Given) -> Proof:
    y, phi, at, start = given.y, given.phi, given.grid[CHECKED], given.start
    K, Kx, Kxx = phi @ phi.T, at @ phi.T, at @ at.T
    before, seen = start @ at.T, start @ phi.T
    M = torch.linalg.solve(K, Kx, left=False)  # K(x, X) K⁻¹
    weights = start + (y - seen) @ torch.linalg.pinv(phi).T
    trained = weights @ at.T
    yield "Gradient flow ends in the nearest interpolating weights, at each draw:"
    yield let(r"f_\infty(x)", trained)
    moved = before - seen @ M.T + M @ y
    yield eq(r"f_0(x) - K(x,X)K^{-1}f_0(X) + K(x,X)K^{-1}y", moved, "Theorem 54, t → ∞")
    yield "Its mean and covariance are those of the shift and of the linear map."
    spread = trained - trained.mean(0)
    yield let(r"\operatorname{Cov}f_\infty", spread.T @ spread / (len(start) - 1))
    block = torch.cat([torch.cat([Kxx, Kx], 1), torch.cat([Kx.T, K], 1)])
    B = torch.cat([torch.eye(len(at), dtype=K.dtype), -M], 1)
    by = "the start is a Gaussian process with covariance K"
    tex = r"B\begin{pmatrix}K(x,x)&K(x,X)\\K(X,x)&K\end{pmatrix}B^\top"
    yield eq(tex, B @ block @ B.T, by, within=NEAR)
    yield eq(r"K(x,x) - K(x,X)K^{-1}K(X,x)", Kxx - M @ Kx.T, "multiplied out")
    means = torch.cat([trained.mean(0), (weights @ phi.T).mean(0)])
    yield "At new inputs, and at those that were fitted:"
    yield let(r"\mathbb Ef_\infty(x),\ \mathbb Ef_\infty(X)", means)
    tex = r"K(x,X)K^{-1}y,\ y"
    yield eq(tex, torch.cat([M @ y, y]), "the start has mean 0", within=NEAR)


def as_printed(given: Given) -> Proof:
    """The second block of the shift is printed as 0; at the end f(X) = y."""
    phi, start, y = given.phi, given.start[:50], given.y
    trained = (start + (y - start @ phi.T) @ torch.linalg.pinv(phi).T) @ phi.T
    yield let(r"f_\infty(X)", trained)
    yield eq(r"0\cdot f_0(X) + 0", 0 * trained, "as printed", wrong=True)
