r"""Operator norm.

The norm that a vector norm induces on matrices, :math:`\|A\|_p=\sup_{x\ne0}\|Ax\|_p/\|x\|_p`, has a
closed form for :math:`p=1` (largest column sum), :math:`p=\infty` (largest row sum) and
:math:`p=2` (:math:`\sigma_1(A)=\sqrt{\lambda_{\max}(A^\top A)}`), and is submultiplicative:

.. math:: \|Av\|_p\le\|A\|_p\|v\|_p,\qquad \|AB\|_p\le\|A\|_p\|B\|_p.

A norm of matrices need not be: the largest entry is a norm, but is not induced by one of vectors.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.2, (1.1)-(1.3), and Section 1.7,
    Problem 1.
:kind: bound
:cost: instant
:covers: operator-norm
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Histogram, Hypothesis, Level, at_most
from corollary.theory.prerequisites.norms import ORDERS, operator_norm, vector_norm


class Given(NamedTuple):
    """Two matrices, directions, and how matrices are measured."""

    A: Float[Tensor, "m k"]
    B: Float[Tensor, "k n"]
    v: Float[Tensor, "s k"]  # directions
    norm: Literal["induced", "largest entry"] = "induced"


class OperatorNormBound(Claim[Given]):
    m: int = 4  # rows of A
    k: int = 3  # columns of A, rows of B
    n: int = 5  # columns of B
    directions: int = 500  # vectors v
    relation = at_most(ulps=64)  # sums of a few products; the maximiser attains the bound

    def given(self, rng: Generator) -> Given:
        """Normal matrices; normal directions and the three maximisers."""
        A = torch.randn(self.m, self.k, generator=rng, dtype=torch.float64)
        B = torch.randn(self.k, self.n, generator=rng, dtype=torch.float64)
        v = torch.randn(self.directions, self.k, generator=rng, dtype=torch.float64)
        best = torch.stack([operator_norm(A, p).maximiser for p in ORDERS])
        return Given(A, B, torch.cat([v, best]))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The norm of a matrix is what it does to vectors: one basis vector per entry shows it."""
        induced = all(_stretch(given, p) <= _size(given, given.A, p) * (1 + 1e-12) for p in ORDERS)
        yield Hypothesis("the matrix norm is induced by a vector norm", induced)

    def predict(self, given: Given) -> list[float]:
        """The size of A (for vectors), and the product of sizes (for AB); p = 1, 2, infinity."""
        a = [_size(given, given.A, p) for p in ORDERS]
        b = [_size(given, given.B, p) for p in ORDERS]
        return a + [s * t for s, t in zip(a, b, strict=True)]

    def measure(self, given: Given) -> list[float]:
        """The largest stretch of a direction, and the size of the product."""
        stretches = [_stretch(given, p) for p in ORDERS]
        return stretches + [_size(given, given.A @ given.B, p) for p in ORDERS]

    def counterexample(self, rng: Generator) -> Given:
        """Matrices of ones, measured by their largest entry."""
        ones = torch.ones(3, 3, dtype=torch.float64)
        return Given(ones, ones, ones[:1], "largest entry")

    def figure(self, given: Given) -> Figure:
        """Stretches of the drawn directions below the first singular value."""
        ratios = vector_norm(given.v @ given.A.T) / vector_norm(given.v)
        return Figure(
            "No direction is stretched more than σ₁",
            x="‖Av‖₂ / ‖v‖₂",
            y="density over directions",
            marks=(
                Histogram(ratios, label="drawn directions v"),
                Level(operator_norm(given.A, 2).value, label="‖A‖₂ = σ₁(A)", axis="x"),
            ),
        )


def _size(given: Given, A: Tensor, p: float) -> float:
    return operator_norm(A, p).value if given.norm == "induced" else float(A.abs().max())


def _stretch(given: Given, p: float) -> float:
    return float((vector_norm(given.v @ given.A.T, p) / vector_norm(given.v, p)).max())
