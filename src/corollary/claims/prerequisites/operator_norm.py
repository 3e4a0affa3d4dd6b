r"""Operator norm.

The norm that a vector norm induces on matrices, :math:`\|A\|_p=\sup_{x\ne0}\|Ax\|_p/\|x\|_p`, has a
closed form for :math:`p=1` (largest column sum), :math:`p=\infty` (largest row sum) and
:math:`p=2` (:math:`\sigma_1(A)=\sqrt{\lambda_{\max}(A^\top A)}`), and is submultiplicative:

.. math:: \|Av\|_p\le\|A\|_p\|v\|_p,\qquad \|AB\|_p\le\|A\|_p\|B\|_p.

A norm of matrices need not be: the largest entry is a norm, but is not induced by one of vectors.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.2, (1.1)-(1.3), and Section 1.7,
    Problem 1.
:kind: bound
:uses: singular_vectors
:covers: operator-norm
"""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.theory.prerequisites.norms import ORDERS, operator_norm, vector_norm

ONES = torch.ones(3, 3, dtype=torch.float64)


class Given(NamedTuple):
    A: Float[Tensor, "m k"]
    B: Float[Tensor, "k n"]
    norm: Callable[[Tensor, float], float]  # of a matrix


def _is_induced(given: Given) -> bool:
    """Whatever its unit: ones(3, 3) takes (1, 1, 1) to three times itself."""
    return all(abs(given.norm(ONES, p) - 3 * given.norm(ONES[:1, :1], p)) < 1e-12 for p in ORDERS)


def _extreme(A: Tensor) -> Tensor:
    """Vectors of which one is stretched most: convex functions have their maxima at corners."""
    signs = torch.tensor(list(product((-1.0, 1.0), repeat=A.shape[1])), dtype=A.dtype)
    power = A.T @ A
    for _ in range(60):  # squared again and again, every column is the leading singular vector
        power = power @ power / (power @ power).norm()
    return torch.cat([torch.eye(len(power)).to(A), signs, power[power.norm(dim=1).argmax()][None]])


class OperatorNormBound(Claim[Given]):
    m: int = option(4, low=1, high=100)  # rows of A
    k: int = option(3, low=1, high=12)  # columns of A, rows of B
    n: int = option(5, low=1, high=100)  # columns of B

    relation = equals(ulps=2**8)  # sums of a few products; a corner attains the supremum
    supposes = Suppose(
        "the matrix norm is induced by a vector norm",
        _is_induced,
        "The largest entry is not induced: products of matrices of ones have larger entries.",
        lambda: Given(ONES, ONES, lambda A, p: float(A.abs().max())),
    )
    symbols = "closed form", "largest stretch; max(‖AB‖, ‖A‖‖B‖)"
    rows = ("‖A‖₁", "‖A‖₂", "‖A‖∞", "‖A‖₁‖B‖₁", "‖A‖₂‖B‖₂", "‖A‖∞‖B‖∞")
    shows = Along("Operator norms: largest stretch, and norm of a product", x="norm", y="value")

    def given(self, rng: Generator) -> Given:
        A, B = normal(rng, self.m, self.k), normal(rng, self.k, self.n)
        return Given(A, B, lambda A, p: operator_norm(A, p).value)

    def predict(self, given: Given) -> list[float]:
        a, b = ([given.norm(M, p) for p in ORDERS] for M in (given.A, given.B))
        return a + [s * t for s, t in zip(a, b, strict=True)]

    def measure(self, given: Given) -> list[float]:
        (A, B, norm), v = given, _extreme(given.A)
        stretch = [float((vector_norm(v @ A.T, p) / vector_norm(v, p)).max()) for p in ORDERS]
        # ‖AB‖ <= ‖A‖ ‖B‖ says that the larger of the two is the second
        return stretch + [max(norm(A @ B, p), norm(A, p) * norm(B, p)) for p in ORDERS]
