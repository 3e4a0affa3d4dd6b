r"""Cross-attention does not depend on the order of the memory.

Each row of A reads a convex combination of the rows of B,
:math:`f(A,B)=\operatorname{softmax}(AW_Q(BW_K)^\top/\sqrt{d_k})BW_V`, so for permutations P and R

.. math:: f(PA,RB)=P\,f(A,B):

equivariant in the queries, invariant in the memory, provided keys and values are permuted
together.

:source: Perez Jensen (2025), Deep Learning, Section 6.2; Lucchi (2025), Foundations of Deep
    Learning, Section 10.4.3.
:kind: theorem
:covers: cross-attention
:scale-free: a symmetry: whatever attention reads, both sides read it.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.theory.sequences.attention import scaled_dot_product_attention


class Given(NamedTuple):
    Q: Float[Tensor, "t d"]  # queries
    K: Float[Tensor, "s d"]  # keys
    V: Float[Tensor, "s d"]  # values
    query_order: Int[Tensor, " t"]  # into which each is put
    key_order: Int[Tensor, " s"]
    value_order: Int[Tensor, " s"]


class CrossAttentionSet(Claim[Given]):
    t: int = option(5, low=2, high=200)  # rows that read
    s: int = option(9, low=2, high=200)  # rows that are read
    d: int = option(4, high=64)  # numbers per row

    relation = equals(ulps=64, scale=1.0)  # sums of s products in another order
    supposes = (
        Suppose(
            "keys and values are permuted together",
            lambda g: torch.equal(g.key_order, g.value_order),
            "The keys are permuted, but the values are not.",
            value_order=lambda g: g.value_order.roll(1),
        ),
        Suppose(
            "every row of the memory is there once",
            lambda g: torch.equal(g.key_order.sort().values, torch.arange(len(g.K))),
            "Half of the rows appear twice, and the other half is missing.",
            key_order=lambda g: g.key_order // 2,
            value_order=lambda g: g.value_order // 2,
        ),
    )
    symbols = "P f(A, B)", "f(PA, RB)"
    shows = Along("Outputs for two orders of the memory", x="entry", y="what is read", first=1)

    def given(self, rng: Generator) -> Given:
        A, B = normal(rng, self.t, self.d), normal(rng, self.s, self.d)
        W = normal(rng, 3, self.d, self.d) / self.d**0.5
        rows = torch.arange(self.s).roll(1)
        return Given(A @ W[0], B @ W[1], B @ W[2], torch.arange(self.t).flip(0), rows, rows)

    def predict(self, given: Given) -> Tensor:
        read = scaled_dot_product_attention(given.Q, given.K, given.V).output
        return read[given.query_order].flatten()

    def measure(self, given: Given) -> Tensor:
        Q, K, V = given.Q[given.query_order], given.K[given.key_order], given.V[given.value_order]
        return scaled_dot_product_attention(Q, K, V).output.flatten()
