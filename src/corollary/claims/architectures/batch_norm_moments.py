r"""Batch-normalised values have variance v/(v + δ).

Over the batch on which the statistics were taken, the output :math:`\alpha\tilde z+\beta` of batch
normalisation has mean :math:`\beta` and variance

.. math:: \alpha^2\,\frac v{v+\delta},

where v is the variance of z with 1/B: less than :math:`\alpha^2`, and much less for features that
vary by as little as :math:`\sqrt\delta`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.3.1; Ioffe and Szegedy (2015),
    "Batch normalization".
:kind: identity
:cost: instant
:covers: batch-normalization
:erratum: [loose] Section 10.3.1 says that normalised activations have unit variance; with its
    delta > 0 it is v/(v + delta): 1/2 for v = delta.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.batch_norm import BatchNorm


class Given(NamedTuple):
    """Features of different spread, a layer, and whether it takes the statistics of the batch."""

    z: Float[Tensor, "B k"]
    alpha: Float[Tensor, " k"]
    beta: Float[Tensor, " k"]
    training: bool


@dataclass(frozen=True)
class BatchNormMoments(Claim[Given]):
    """Mean and variance of each feature of the output."""

    B: int = option(64, low=2, high=10_000)  # examples in the batch
    k: int = option(9, low=2, high=100)  # features, of growing spread
    delta: float = option(1e-2, low=1e-8, high=1.0)  # added to the variance, δ
    relation = equals(ulps=2**12, scale=1.0)  # sums of B squares, of values that are off centre

    def given(self, rng: Generator) -> Given:
        """Standard deviations from a tenth to ten times the root of delta."""
        spread = self.delta**0.5 * torch.logspace(-1, 1, self.k, dtype=torch.float64)
        z = torch.randn(self.B, self.k, generator=rng, dtype=torch.float64)
        alpha, beta = 0.5 + torch.rand(2, self.k, generator=rng, dtype=torch.float64)
        return Given(1 + spread * z, alpha, beta, True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Whose statistics."""
        yield Hypothesis("mean and variance are those of this batch", given.training)

    def predict(self, given: Given) -> list[float]:
        """β and α²v/(v + δ)."""
        v = given.z.var(dim=0, correction=0)
        return [*given.beta.tolist(), *(given.alpha**2 * v / (v + self.delta)).tolist()]

    def measure(self, given: Given) -> list[float]:
        """The moments of the output."""
        out = self._output(given)
        return [*out.mean(dim=0).tolist(), *out.var(dim=0, correction=0).tolist()]

    def counterexample(self, rng: Generator) -> Given:
        """Running statistics that have seen nothing yet."""
        return self.given(rng)._replace(training=False)

    def figure(self, given: Given) -> Figure:
        """The variance against that of the input."""
        v = given.z.var(dim=0, correction=0)
        found = self._output(given).var(dim=0, correction=0) / given.alpha**2
        grid = torch.logspace(-2, 2, 60, dtype=torch.float64) * self.delta
        return Figure(
            "Variance after batch normalisation",
            x="variance v of a feature in the batch",
            y="variance of z̃",
            log_x=True,
            marks=(
                Curve(grid / (grid + self.delta), x=grid, label="v/(v + δ)", role="predicted"),
                Curve(torch.ones(60), x=grid, label="δ = 0", role="other", dashed=True),
                Points(v, found, label="features of the batch"),
            ),
        )

    def _output(self, given: Given) -> Tensor:
        norm = BatchNorm(given.z.shape[1], self.delta, dtype=torch.float64).train(given.training)
        with torch.no_grad():
            norm.alpha.copy_(given.alpha)
            norm.beta.copy_(given.beta)
            return norm(given.z)
