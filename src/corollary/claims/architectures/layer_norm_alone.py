r"""Layer normalisation does not depend on the batch.

The output for an example z is the same alone and in every batch, and for
:math:`\delta=0` the same for :math:`az+c`, a > 0:

.. math:: \mathrm{LN}(z;\text{batch})=\mathrm{LN}(z),\qquad \mathrm{LN}(az+c)=\mathrm{LN}(z).

With batch normalisation both are false: the other examples set mean and variance.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.3.2; Perez Jensen (2025), Deep
    Learning, Section 8.5; Ba, Kiros and Hinton (2016), "Layer normalization".
:kind: theorem
:covers: layer-normalization
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Along, Claim, Suppose, equals, near, normal, option
from corollary.models.batch_norm import BatchNorm
from corollary.models.layer_norm import LayerNorm


class Given(NamedTuple):
    """An example, companions, and a layer."""

    z: Float[Tensor, " m"]
    others: Float[Tensor, "B m"]
    layer: nn.Module


def one_by_one(given: Given) -> tuple[bool, str]:
    """Whether the layer gives the companions the same outputs in a batch and in its halves."""
    halves = [given.layer(part) for part in given.others.tensor_split(2)]
    return near(given.layer(given.others), torch.cat(halves))


class LayerNormAlone(Claim[Given]):
    m: int = option(12, low=2, high=1000)  # features
    B: int = option(16, low=4, high=1000)  # other examples

    relation = equals(ulps=2**10, scale=1.0)  # mean and variance of values up to 30
    supposes = Suppose(
        "each example is normalised over its own features",
        one_by_one,
        "With batch normalisation, the outputs of an example depend on the rest of the batch.",
        layer=lambda g: BatchNorm(len(g.z), 0.0, dtype=torch.float64),
    )
    symbols = "example alone", "example in a batch"
    shows = Along(
        "One example in three batches",
        x="feature",
        y="output",
        first=1,
        parts=("of two", "of all", "of all, as 7z + 2"),
    )

    def given(self, rng: Generator) -> Given:
        z, others = normal(rng, self.m), 3 * normal(rng, self.B, self.m)
        return Given(z, others, LayerNorm(self.m, 0.0, dtype=torch.float64))

    def predict(self, given: Given) -> Tensor:
        z = given.z
        return ((z - z.mean()) / z.std(correction=0)).repeat(3)

    def measure(self, given: Given) -> Tensor:
        z, others, layer = given.z[None], given.others, given.layer
        batches = (z, others[:1]), (z, others), (7 * z + 2, others)
        return torch.cat([layer(torch.cat(batch))[0] for batch in batches])
