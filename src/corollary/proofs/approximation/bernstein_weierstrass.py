r"""Near lattice points f hardly moves; far ones have hardly any weight.

:source: Lucchi (2025), Foundations of Deep Learning, proof sketch of Theorem 17.
"""

import torch
from torch import Tensor

from corollary.claims.approximation.bernstein_weierstrass import GRID, BernsteinWeierstrass, Given
from corollary.core import Proof, eq, le, let
from corollary.theory.approximation.bernstein import bernstein, bernstein_basis

X = GRID[::4]


def proof(claim: BernsteinWeierstrass, given: Given) -> Proof:
    eps, rows = claim.eps, []
    for f, delta, m in zip(*given, strict=True):
        b, at = bernstein_basis(m, X), torch.arange(m + 1, dtype=X.dtype) / m
        R = 2 * float(f(GRID).abs().max())
        apart = f(X)[:, None] - f(at)
        near = (X[:, None] - at).abs() <= delta
        inside, outside = (b * near).sum(1), (b * ~near).sum(1)
        total = (apart.abs() * b * near).sum(1) + (apart.abs() * b * ~near).sum(1)
        spread = ((X[:, None] - at) ** 2 * b).sum(1)
        bounds = (
            (f(X) - bernstein(f, m, X)).abs(),
            (apart * b).sum(1).abs(),
            total,
            eps / 2 * inside + R * outside,
            eps / 2 + R * spread / delta**2,
            eps / 2 + R * X * (1 - X) / (m * delta**2),
            eps / 2 + R / (4 * m * delta**2) + 0 * X,
        )
        rows.append(torch.stack(bounds))
    off, residuals, split, weighed, chebyshev, variance, largest = torch.cat(rows, 1)
    yield let("|f(x)-q_m(x)|", off)
    yield eq(
        r"|\sum_k(f(x)-f(\tfrac km))\,b_k^m(x)|", residuals, "the weights sum to 1", within=1e-8
    )
    yield le(r"\sum_{k\in I}|r_k| + \sum_{k\notin I}|r_k|", split, "I: |x − k/m| ≤ δ")
    by = "f changes by at most ε/2 within δ, and by at most R = 2‖f‖ at all"
    yield le(r"\tfrac\varepsilon2\sum_Ib_k + R\sum_{I^c}b_k", weighed, by, loose=1.5)
    tex = r"\tfrac\varepsilon2 + \tfrac R{\delta^2}\sum_k(x-\tfrac km)^2b_k"
    yield le(tex, chebyshev, "(x − k/m)² > δ² outside of I", loose=1.4)
    tex = r"\tfrac\varepsilon2 + \tfrac{Rx(1-x)}{m\delta^2}"
    yield eq(tex, variance, "the variance of the binomial", within=1e-7)
    yield le(r"\tfrac\varepsilon2 + \tfrac R{4m\delta^2}", largest, "x(1 − x) ≤ 1/4")
    yield le(r"\varepsilon", eps, "m > R/(2εδ²)")


def tight(claim: BernsteinWeierstrass) -> Given:
    """Degree 2: a narrow peak at 1/2, and drops at both ends, just beyond δ."""

    def f(x: Tensor) -> Tensor:
        peak = (1 - 1e5 * (x - 0.5).abs()).clamp(min=0)
        ends = (1 - 1e5 * x).clamp(min=0) + (1 - 1e5 * (1 - x)).clamp(min=0)
        return 0.499 * claim.eps * (peak - ends)

    return Given((f,), (0.4999,), (2,))
