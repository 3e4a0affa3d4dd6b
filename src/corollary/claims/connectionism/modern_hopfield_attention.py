r"""Hopfield retrieval is attention.

The update of the continuous Hopfield network with patterns as rows of
:math:`K \in \mathbb R^{N \times d}`,

.. math:: q' = K^\top \operatorname{softmax}(\beta K q),

is one read of scaled dot-product attention with keys and values :math:`K`, if the inverse
temperature is the transformer's scale :math:`\beta = 1/\sqrt d`. The prediction is PyTorch's own
attention, the measurement the update that descends the energy.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Ramsauer, Schäfl, Lehner et al. (2020),
    "Hopfield networks is all you need".
:kind: identity
:cost: instant
:covers: modern-hopfield-attention
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn.functional import scaled_dot_product_attention

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.modern_hopfield import ModernHopfield


class Given(NamedTuple):
    """Patterns and queries."""

    K: Float[Tensor, "N d"]
    q: Float[Tensor, "queries d"]
    beta: float


@dataclass(frozen=True)
class ModernHopfieldAttention(Claim[Given]):
    """Every entry of the updated queries."""

    N: int = option(12, low=1, high=1000)  # patterns
    d: int = option(16, low=1, high=512)  # dimension
    queries: int = option(8, low=1, high=1000)  # queries
    relation = equals(ulps=64, scale=1.0)  # two orders of summing N terms of size 1

    def given(self, rng: Generator) -> Given:
        """Gaussian patterns and queries."""
        K = torch.randn(self.N, self.d, generator=rng, dtype=torch.float64)
        q = torch.randn(self.queries, self.d, generator=rng, dtype=torch.float64)
        return Given(K, q, self.d**-0.5)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The scale."""
        scale = given.q.shape[-1] ** -0.5
        yield Hypothesis("β is 1/√d", given.beta == scale, f"β = {given.beta:g}")

    def predict(self, given: Given) -> list[float]:
        """Attention at its default scale."""
        K = given.K[None]
        return scaled_dot_product_attention(given.q[None], K, K).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """One step of the Hopfield network."""
        return ModernHopfield(given.K, given.beta).update(given.q).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A colder network looks more sharply than the transformer does."""
        K, q, beta = self.given(rng)
        return Given(K, q, 4 * beta)

    def figure(self, given: Given) -> Figure:
        """Entry against entry."""
        p, m = self.predict(given), self.measure(given)
        ends = [min(p), max(p)]
        return Figure(
            "One Hopfield step and one read of attention",
            x="entry of attention(q, K, K)",
            y="entry of Kᵀ softmax(β K q)",
            marks=(
                Points(p, m, label="entries of the updated queries"),
                Curve(ends, x=ends, label="equal", role="predicted"),
            ),
            equal=True,
        )
