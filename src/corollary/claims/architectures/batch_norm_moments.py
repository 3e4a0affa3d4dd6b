r"""Batch-normalised values have variance v/(v + δ).

Over the batch on which the statistics were taken, the output :math:`\alpha\tilde z+\beta` of batch
normalisation has mean :math:`\beta` and variance

.. math:: \alpha^2\,\frac v{v+\delta},

where v is the variance of z with 1/B: less than :math:`\alpha^2`, and much less for features that
vary by as little as :math:`\sqrt\delta`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.3.1; Ioffe and Szegedy (2015),
    "Batch normalization".
:kind: identity
:covers: batch-normalization
:erratum: [loose] Section 10.3.1 says that normalised activations have unit variance; with its
    delta > 0 it is v/(v + delta): 1/2 for v = delta.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, near, normal, option, uniform
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.models.batch_norm import BatchNorm


class Given(NamedTuple):
    z: Float[Tensor, "B k"]  # features of different spread
    norm: BatchNorm  # the layer


def running_statistics(given: Given) -> Given:
    """Running statistics that were never updated do not normalise mean and variance."""
    fresh = BatchNorm(given.z.shape[1], given.norm.delta, dtype=torch.float64)
    fresh.load_state_dict(given.norm.state_dict())
    return given._replace(norm=fresh.eval())


class BatchNormMoments(Claim[Given]):
    B: int = option(64, low=2, high=10_000)  # examples in the batch
    k: int = option(9, low=2, high=100)  # features, of growing spread
    delta: float = option(1e-2, low=1e-8, high=1.0)  # added to the variance, δ

    relation = equals(ulps=2**12, scale=1.0)  # sums of B squares, of values that are off centre
    supposes = Suppose(
        "mean and variance are those of this batch",
        lambda g: near(g.norm(g.z) - g.norm.beta, g.norm(g.z + 1) - g.norm.beta),
        without=running_statistics,
    )
    symbols = "β and α² v/(v + δ)", "mean and variance of the output"

    def given(self, rng: Generator) -> Given:
        spread = self.delta**0.5 * torch.logspace(-1, 1, self.k, dtype=torch.float64)
        norm = BatchNorm(self.k, self.delta, dtype=torch.float64, momentum=0.0)
        with torch.no_grad():
            norm.alpha.copy_(0.5 + uniform(rng, self.k))
            norm.beta.copy_(0.5 + uniform(rng, self.k))
        return Given(1 + spread * normal(rng, self.B, self.k), norm)

    def predict(self, given: Given) -> Tensor:
        v = given.z.var(dim=0, correction=0)
        return torch.cat([given.norm.beta, given.norm.alpha**2 * v / (v + self.delta)])

    def measure(self, given: Given) -> Tensor:
        out = given.norm(given.z).detach()
        return torch.cat([out.mean(dim=0), out.var(dim=0, correction=0)])

    @picture("Batch normalisation", x="variance v of a feature", y="variance of z̃", log="x")
    def marks(self, trial: Trial[Given]) -> Marks:
        z, norm = trial.given
        found = trial.measured[z.shape[1] :] / norm.alpha.detach() ** 2
        grid = torch.logspace(-2, 2, 60, dtype=torch.float64) * self.delta
        yield Curve(grid / (grid + self.delta), x=grid, label="v/(v + δ)", role="predicted")
        yield Curve(torch.ones(60), x=grid, label="δ = 0", role="other", dashed=True)
        yield Points(z.var(dim=0, correction=0), found, label="features of the batch")
