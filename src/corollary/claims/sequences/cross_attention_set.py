r"""Cross-attention reads a set.

Each row of A reads a convex combination of the rows of B,
:math:`f(A,B)=\operatorname{softmax}(AW_Q(BW_K)^\top/\sqrt{d_k})BW_V`, so for permutations P and R

.. math:: f(PA,RB)=P\,f(A,B):

equivariant in the queries, invariant in the memory, provided keys and values are permuted
together.

:source: Perez Jensen (2025), Deep Learning, Section 6.2; Lucchi (2025), Foundations of Deep
    Learning, Section 10.4.3.
:kind: theorem
:cost: instant
:covers: cross-attention
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.sequences.attention import scaled_dot_product_attention


class Given(NamedTuple):
    """Queries, keys and values, and the orders into which they are put."""

    Q: Float[Tensor, "t d"]
    K: Float[Tensor, "s d"]
    V: Float[Tensor, "s d"]
    query_order: Int[Tensor, " t"]
    key_order: Int[Tensor, " s"]
    value_order: Int[Tensor, " s"]


@dataclass(frozen=True)
class CrossAttentionSet(Claim[Given]):
    """What is read, after queries and memory were put into another order."""

    t: int = option(5, low=2, high=200)  # rows that read
    s: int = option(9, low=2, high=200)  # rows that are read
    d: int = option(4, high=64)  # numbers a row
    relation = equals(ulps=64, scale=1.0)  # sums of s products in another order

    def given(self, rng: Generator) -> Given:
        """Gaussian rows and projections, random orders."""
        A = torch.randn(self.t, self.d, generator=rng, dtype=torch.float64)
        B = torch.randn(self.s, self.d, generator=rng, dtype=torch.float64)
        W = torch.randn(3, self.d, self.d, generator=rng, dtype=torch.float64) / self.d**0.5
        rows = torch.arange(self.s).roll(1)
        return Given(A @ W[0], B @ W[1], B @ W[2], torch.arange(self.t).flip(0), rows, rows)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """One order for both halves of the memory."""
        together = torch.equal(given.key_order, given.value_order)
        yield Hypothesis("keys and values are permuted together", together)

    def predict(self, given: Given) -> list[float]:
        """What was read before, in the order of the queries."""
        read = scaled_dot_product_attention(given.Q, given.K, given.V).output
        return read[given.query_order].flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """What is read after."""
        return _read(given).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Keys that no longer belong to their values."""
        given = self.given(rng)
        return given._replace(value_order=given.value_order.sort().values)

    def figure(self, given: Given) -> Figure:
        """One number of each row, with the memory in order and in disorder."""
        rows = list(range(1, len(given.Q) + 1))
        torn = given._replace(value_order=given.key_order.roll(1))
        before = scaled_dot_product_attention(given.Q, given.K, given.V).output
        marks = (
            Curve(before[given.query_order][:, 0], rows, label="P f(A, B)", role="predicted"),
            Points(rows, _read(given)[:, 0], label="f(PA, RB)"),
            Points(rows, _read(torn)[:, 0], label="values not permuted with keys", role="other"),
        )
        return Figure("The memory has no order", x="row of PA", y="first entry", marks=marks)


def _read(given: Given) -> Tensor:
    Q, K, V = given.Q[given.query_order], given.K[given.key_order], given.V[given.value_order]
    return scaled_dot_product_attention(Q, K, V).output
