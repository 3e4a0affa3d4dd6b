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
:covers: modern-hopfield-attention
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn.functional import scaled_dot_product_attention

from corollary.core import Claim, Parity, Suppose, equals, near, normal, option
from corollary.models.modern_hopfield import ModernHopfield


class Given(NamedTuple):
    K: Float[Tensor, "N d"]  # keys
    V: Float[Tensor, "N d"]  # values
    q: Float[Tensor, "queries d"]  # queries
    beta: float  # inverse temperature


class ModernHopfieldAttention(Claim[Given]):
    N: int = option(12, low=1, high=1000)  # patterns
    d: int = option(16, low=1, high=512)  # dimension
    queries: int = option(8, low=1, high=1000)  # queries

    relation = equals(ulps=64, scale=1.0)  # two orders of summing N terms of size 1
    supposes = (
        Suppose(
            "β is 1/√d",
            lambda g: (g.beta == g.q.shape[-1] ** -0.5, f"β = {g.beta:g}"),
            "If β is larger than 1/√d, the softmax of the memory is sharper than that of "
            "attention.",
            beta=lambda g: 4 * g.beta,
        ),
        Suppose(
            "the values are the keys",
            lambda g: near(g.V, g.K),
            "If the values differ from the keys, attention returns values and the memory returns "
            "keys.",
            V=lambda g: -g.K,
        ),
    )
    symbols = "attention(q, K, V)", "Kᵀ softmax(β K q)"
    shows = Parity("One Hopfield step and one read of attention")

    def given(self, rng: Generator) -> Given:
        K = normal(rng, self.N, self.d)
        return Given(K, K, normal(rng, self.queries, self.d), self.d**-0.5)

    def predict(self, given: Given) -> list[float]:
        read = scaled_dot_product_attention(given.q[None], given.K[None], given.V[None])
        return read.flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        return ModernHopfield(given.K, given.beta).update(given.q).flatten().tolist()
