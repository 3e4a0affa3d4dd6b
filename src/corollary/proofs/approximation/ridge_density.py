r"""Powers of enough linear forms span all polynomials of their degree.

Two variables are shown; in n variables the polarisation formula does the same, and Weierstrass'
theorem the rest.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 21; Vostrecov and Kreines (1961);
    Pinkus (1999), "Approximation theory of the MLP model in neural networks", Theorem 3.1.
:supplied: The notes omit the proof of Theorem 21.
"""

from math import comb

import torch

from corollary.claims.approximation.ridge_density import Given
from corollary.core import Proof, eq, le, let
from corollary.theory.approximation.grids import box_grid

DEGREE = 7  # eight directions span the polynomials of degree 7


def proof(given: Given) -> Proof:
    theta, f = given
    i = torch.arange(DEGREE + 1.0, dtype=theta.dtype)
    binomials = theta.new_tensor([comb(DEGREE, j) for j in range(DEGREE + 1)])
    V = theta[:, :1] ** i * theta[:, 1:] ** (DEGREE - i)  # one row per direction
    x = box_grid(2, 9, -1.0, 1.0)
    monomials = x[:, :1] ** i * x[:, 1:] ** (DEGREE - i)
    yield "Expand the power of a linear form by the binomial theorem."
    powers = (x @ theta.T) ** DEGREE
    yield let(r"(\theta_j\cdot x)^k", powers)
    tex = r"\sum_i\tbinom ki\theta_{j1}^i\theta_{j2}^{k-i}\,x_1^ix_2^{k-i}"
    yield eq(tex, monomials * binomials @ V.T, "the binomial theorem")
    yield "The matrix of the θ is a Vandermonde matrix."
    yield let(r"\operatorname{rank}V", torch.linalg.matrix_rank(V, rtol=1e-10))
    yield eq("k+1", float(DEGREE + 1), "no two directions are parallel")
    c = torch.linalg.solve(V, torch.eye(DEGREE + 1, dtype=V.dtype)) / binomials[:, None]
    yield let(r"x_1^ix_2^{k-i}", monomials)
    yield eq(r"\sum_jc_{ij}(\theta_j\cdot x)^k", powers @ c.T, "so it can be inverted", within=1e-6)
    total = [x[:, 0] ** a * x[:, 1] ** b for a in range(DEGREE + 1) for b in range(DEGREE + 1 - a)]
    basis = torch.stack(total, 1)
    fit = basis @ torch.linalg.lstsq(basis, f(x)[:, None], driver="gelsd").solution
    yield "Sums of such powers, of all degrees, are all polynomials; they are dense."
    yield let(r"\sup|f-p|,\ \deg p\le7", (fit[:, 0] - f(x)).abs().max())
    yield le(r"\tfrac1{10}", 0.1, "Weierstrass, for a continuous f", loose=60.0)
