r"""The noise of batch statistics.

The variance that batch normalisation takes from B independent examples of a normal feature is off
by a share of

.. math:: \frac{\operatorname{sd}(\hat\sigma_B^2)}{\sigma^2}=\frac{\sqrt{2(B-1)}}B\sim\sqrt{2/B},

half of itself at B = 8 and a tenth at B = 200. Measured: the square of this noise over its
value, 1 at every batch size. Layer normalisation takes nothing from the batch.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.3, Table 10.1 and Figure 10.17;
    Perez Jensen (2025), Deep Learning, Section 8.5; Wu and He (2018), "Group normalization".
:kind: identity
:covers: batch-vs-layer-norm-experiment
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, normal, option, uniform, within_interval


class Given(NamedTuple):
    """Features of many batches; a batch of size B is a row's first B entries."""

    z: Float[Tensor, "draws n"]


def independence(given: Given) -> tuple[bool, str]:
    """The correlation of neighbouring squares is within five standard errors of 0."""
    a, b = (given.z[:, i::2].square().flatten() for i in (0, 1))
    r = float(torch.stack([a, b]).corrcoef()[0, 1])
    return abs(r) < 5 / len(a) ** 0.5, f"correlation {r:.2g}"


def own_scales(given: Given, rng: Generator) -> Given:
    """All examples of a batch share a random scale, so the noise does not fall with B."""
    scales = 2 * uniform(rng, len(given.z), 1)
    return Given(given.z * scales)


class BatchNormNoise(Claim[Given]):
    draws: int = option(4000, low=500, high=100_000)  # batches of each size
    sizes: tuple[int, ...] = (8, 16, 32, 64, 128)  # batch sizes B, growing

    relation = within_interval(level=0.999999, resolution=0.2)  # chance: one seed in a million
    supposes = (
        Suppose("examples of a batch are independent", independence, without=own_scales),
        Suppose(
            "the feature is normal",
            lambda g: (
                abs(float(g.z.pow(4).mean()) - 3) < 0.2,
                f"kurtosis {g.z.pow(4).mean():.2f}",
            ),
            "A feature that is -1 or +1 has a batch variance with far less noise.",
            z=lambda g: g.z.sign(),
        ),
    )
    symbols = "1", "sd(σ̂²)² / (2(B − 1)/B²)"
    rows = "B = {sizes}"
    shows = Along(
        "Noise of the batch variance / its prediction", x="batch size B", at="sizes", log="xy"
    )

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, self.draws, max(self.sizes)))

    def predict(self, given: Given) -> list[float]:
        return [1.0] * len(self.sizes)

    def measure(self, given: Given) -> list[Sample]:
        return [Sample(self._squares(given, B) * B**2 / (2 * (B - 1))) for B in self.sizes]

    def _squares(self, given: Given, B: int) -> Tensor:
        """Squared distance of each batch variance from its mean."""
        v = given.z[:, :B].var(dim=1, correction=0)
        return (v - v.mean()).square()
