r"""Descent never leaves the span of the data, and there is one solution in it.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 71, with a reason for
    uniqueness that holds.
"""

import torch

from corollary.claims.regularization.closest_interpolator import ClosestInterpolator, Given
from corollary.core import Proof, eq, ge, le, let

STEPS = 30


def proof(claim: ClosestInterpolator, given: Given) -> Proof:
    X, y, w0, share = given
    n, squares = len(X), torch.linalg.svdvals(X).square()
    eta = share * n / squares[0]
    plus = torch.linalg.pinv(X)
    P = plus @ X  # projects on the span of the rows
    best = w0 + plus @ (y - X @ w0)
    path, slopes = [w0], []
    for _ in range(STEPS):
        slopes.append(2 / n * X.T @ (X @ path[-1] - y))
        path.append(path[-1] - eta * slopes[-1])
    w, g = torch.stack(path), torch.stack(slopes)
    yield "Every update lies in the span of the data; P projects on it."
    yield let(r"\nabla L(w_t) = \tfrac2nX^\top(Xw_t-y)", g)
    yield eq(r"P\nabla L(w_t)", g @ P, "columns of Xᵀ")
    yield let("w_t - w_0", w[1:] - w0)
    yield eq("P(w_t - w_0)", (w[1:] - w0) @ P, "a sum of updates")
    yield "There w* = w₀ + X⁺(y − Xw₀) solves the equations:"
    yield let("Xw^*", X @ best)
    yield eq("y", y, "the rows are independent: XX⁺ = I")
    q = (1 - 2 * eta / n * squares).abs().max()
    yield "And the distance to it shrinks at each step."
    far = (w - best).norm(dim=1)
    yield let(r"\|w_{t+1}-w^*\|", far[1:])
    yield le(r"q\,\|w_t-w^*\|", q * far[:-1], "q is the norm of I − 2ηXᵀX/n on the span")
    yield le(r"\|w_t-w^*\|", far[:-1], "0 < η < n/λmax: q is below 1")
    yield "No other solution is nearer to the start."
    other = best + (torch.eye(len(w0), dtype=w0.dtype) - P) @ (0.1 * torch.ones_like(w0))
    yield let(r"\|w-w_0\|^2", (other - w0).square().sum())
    split = (best - w0).square().sum() + (other - best).square().sum()
    yield eq(r"\|w^*-w_0\|^2 + \|w-w^*\|^2", split, "w − w* is orthogonal to the span")
    yield ge(r"\|w^*-w_0\|^2", (best - w0).square().sum(), "a square is not negative")


def tight(claim: ClosestInterpolator) -> list[Given]:
    """Orthonormal rows: one rate for all directions; and a step that hardly moves."""
    X = torch.eye(3, 8, dtype=torch.float64)
    y, w0 = torch.tensor([3.0, -4.0, 5.0]).double(), torch.zeros(8, dtype=torch.float64)
    return [Given(X, y, w0, 0.02)]


def as_printed(given: Given) -> Proof:
    """(11.4) loses a sign and a factor 2; and from X(w₁ − w₂) = 0 follows no w₁ = w₂, for d > n."""
    X, y, w0, _ = given
    n = len(X)
    slope = torch.func.grad(lambda w: (y - X @ w).square().sum() / n)(w0)
    yield let(r"\nabla_w\tfrac1n\sum_i(y_i-w^\top x_i)^2", slope)
    printed = X.T @ (y - X @ w0) / n
    yield eq(r"\tfrac1n\sum_i(y_i-w^\top x_i)x_i", printed, "(11.4), as printed", wrong=True)
    kernel = torch.eye(len(w0), dtype=w0.dtype) - torch.linalg.pinv(X) @ X
    other = w0 + kernel @ torch.ones_like(w0)
    yield let("Xw_1", X @ w0)
    yield eq("Xw_2", X @ other, "both are solutions")
    yield let("w_1", w0)
    yield eq("w_2", other, "“d > n, X is full rank”", wrong=True)
