r"""Concentration of the eigenvalues of the tangent kernel.

For points in the rows of :math:`X` and a unit with weights :math:`w` let :math:`H_{ij} = x_i^\top
x_j \, \sigma'(w^\top x_i) \, \sigma'(w^\top x_j)`, with :math:`\sigma = \tanh`, so that
:math:`|\sigma'| \le B = 1`. The sampled kernel :math:`\hat G` is the mean of :math:`m` such
matrices, and :math:`G` is their expectation.

:source: Notes, Section 8.5, Problem 2.
:a: ``unit_bound(X, w)`` Yield a chain from :math:`\|H\|_F` to :math:`\|X\|_F^2` through :math:`\|X
    X^\top\|_F`.
:a-hints: Square the norm, and bound the factors :math:`\sigma'` by 1. | The Frobenius norm is
    submultiplicative. | :math:`|x_i^\top x_j| \le \|x_i\| \|x_j\|`.
:b: ``unit_ball_complexity(H)`` Here ``H`` is an array of matrices :math:`H_1, \dots, H_m`. Return
    :math:`\frac1m E_\epsilon \sup_{\|V\|_F \le 1} \sum_i \epsilon_i \langle H_i, V \rangle_F`,
    exactly.
:b-hints: For fixed signs the supremum is a norm. | :math:`\sup_{\|V\|_F \le 1} \langle S, V
    \rangle_F = \|S\|_F`. | The mean over all :math:`2^m` signs.
:c: Bound the quadratic form of the difference of the kernels, with probability 1 - δ.
:c-ungraded: it is a statement on the probability of weights, and inserts a and b into a theorem.
:d: ``eigenvalue_bound(G, G_hat)`` Yield a chain from the smallest eigenvalue of :math:`\hat G` down
    to :math:`\lambda_{\min}(G) - \|\hat G - G\|` through :math:`\lambda_{\min}(G) +
    \lambda_{\min}(\hat G - G)`.
:d-hints: :math:`\hat G = G + (\hat G - G)`. | Weyl's inequality for the smallest eigenvalue. | An
    eigenvalue is at least minus the operator norm.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

from corollary.exercises.judging import Array, Case, Chain, Rng, equals


def part_a(rng: Rng) -> Iterator[Case]:
    """Points of any length."""
    for n, d, edge in ((4, 3, ""), (6, 2, ""), (3, 1, "one coordinate")):
        X, w = rng.normal(size=(n, d)) * 2, rng.normal(size=d)
        s = 1 / np.cosh(X @ w) ** 2
        H = X @ X.T * np.outer(s, s)
        through = {"‖XXᵀ‖": float(np.linalg.norm(X @ X.T))} if d > 1 else {}
        judge = Chain(float(np.linalg.norm(H)), "≤", float((X**2).sum()), through)
        yield Case({"X": X, "w": w}, judge, edge)


def part_b(rng: Rng) -> Iterator[Case]:
    """The reference is computed by brute force over the signs."""
    for m, n, edge in ((3, 2, ""), (5, 3, ""), (1, 2, "a single matrix")):
        H = rng.normal(size=(m, n, n))
        signs = np.array(list(product((-1.0, 1.0), repeat=m)))
        norms = np.array([np.linalg.norm(np.tensordot(s, H, 1)) for s in signs])
        value, squares = float(norms.mean()) / m, float((H**2).sum())
        said = {
            "the root of the mean square is a bound, not the mean": squares**0.5 / m,
            "the factor 1/m is missing": m * value,
            "the supremum is the Frobenius norm, not the operator norm": _operator(signs, H),
        }
        yield Case({"H": H}, equals(value, said if m > 1 else None), edge)


def _operator(signs: Array, H: Array) -> float:
    norms = [float(np.linalg.norm(np.tensordot(s, H, 1), 2)) for s in signs]
    return float(np.mean(norms)) / len(H)


def part_d(rng: Rng) -> Iterator[Case]:
    """A kernel and a disturbed one."""
    for n, edge in ((3, ""), (5, ""), (1, "a single point")):
        A, E = rng.normal(size=(n, n + 1)), rng.normal(size=(n, n)) * 0.3
        G, E = A @ A.T, E + E.T
        low, shift = np.linalg.eigvalsh(G)[0], np.linalg.eigvalsh(E)[0]
        end = float(low - np.linalg.norm(E, 2))
        through = {"λ_min(G) + λ_min(Ĝ − G)": float(low + shift)} if n > 1 else {}
        judge = Chain(float(np.linalg.eigvalsh(G + E)[0]), "≥", end, through)
        yield Case({"G": G, "G_hat": G + E}, judge, edge)
