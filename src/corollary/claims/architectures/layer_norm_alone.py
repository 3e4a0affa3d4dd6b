r"""Layer normalisation does not see the batch.

The output for an example z is the same alone and in every batch, and for
:math:`\delta=0` the same for :math:`az+c`, a > 0:

.. math:: \mathrm{LN}(z;\text{batch})=\mathrm{LN}(z),\qquad \mathrm{LN}(az+c)=\mathrm{LN}(z).

With batch normalisation both are false: the other examples set mean and variance.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.3.2; Perez Jensen (2025), Deep
    Learning, Section 8.5; Ba, Kiros and Hinton (2016), "Layer normalization".
:kind: theorem
:cost: instant
:covers: layer-normalization
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.batch_norm import BatchNorm
from corollary.models.layer_norm import LayerNorm


class Given(NamedTuple):
    """An example, companions, and a layer."""

    z: Float[Tensor, " m"]
    others: Float[Tensor, "B m"]
    layer: nn.Module


@dataclass(frozen=True)
class LayerNormAlone(Claim[Given]):
    """Outputs of one example in batches of two sizes, and rescaled."""

    m: int = option(12, low=2, high=1000)  # features
    B: int = option(16, low=2, high=1000)  # other examples
    relation = equals(ulps=2**10, scale=1.0)  # mean and variance of values up to 30

    def given(self, rng: Generator) -> Given:
        """Normal numbers."""
        z = torch.randn(1 + self.B, self.m, generator=rng, dtype=torch.float64)
        return Given(z[0], 3 * z[1:], LayerNorm(self.m, 0.0, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Over what is normalised."""
        yield Hypothesis(
            "each example is normalised over its own features", isinstance(given.layer, LayerNorm)
        )

    def predict(self, given: Given) -> list[float]:
        """The example by itself, three times."""
        z = given.z
        return ((z - z.mean()) / z.std(correction=0)).repeat(3).tolist()

    def measure(self, given: Given) -> list[float]:
        """In a batch of two, in the whole batch, and as 7z + 2."""
        return [v for batch in self._batches(given) for v in given.layer(batch)[0].tolist()]

    def counterexample(self, rng: Generator) -> Given:
        """Batch normalisation."""
        return self.given(rng)._replace(layer=BatchNorm(self.m, 0.0, dtype=torch.float64))

    def figure(self, given: Given) -> Figure:
        """The example's outputs in each batch, with both layers."""
        alone = self.predict(given)[: self.m]
        j = list(range(1, self.m + 1))
        marks: list[Curve | Points] = [Curve(alone, x=j, label="alone", role="predicted")]
        control = BatchNorm(self.m, 0.0, dtype=torch.float64)
        for layer, name, role in (
            (given.layer, "LN", "measured"), (control, "BN", "other"),
        ):  # fmt: skip
            for batch in self._batches(given)[:2]:
                out = layer(batch)[0].detach()
                marks.append(Points(j, out, label=f"{name}, batch of {len(batch)}", role=role))
        return Figure(
            "One example in batches of two sizes", x="feature", y="output", marks=tuple(marks)
        )

    def _batches(self, given: Given) -> list[Tensor]:
        z, others = given.z[None], given.others
        return [torch.cat([a, b]) for a, b in ((z, others[:1]), (z, others), (7 * z + 2, others))]
