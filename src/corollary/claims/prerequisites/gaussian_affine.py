r"""Affine images of normal vectors.

If :math:`X\sim N(\mu,\Sigma)` in :math:`\mathbb{R}^k` and :math:`Y=AX+b`, then

.. math:: Y\sim N(A\mu+b,\;A\Sigma A^\top),

singular where :math:`A\Sigma A^\top` is. Every projection of Y is normal with the mean and variance
this gives. Mean and covariance transform so for any law of X, normality does not come for free.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.7, Problem 4.
:kind: theorem
:covers: gaussian-affine-rule, gaussian-moments
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from scipy.stats import kstest
from torch import Generator, Tensor

from corollary.core import Claim, Count, Kept, Suppose, Trial, normal, option, within_interval
from corollary.core.picture import Curve, Histogram, Marks, picture
from corollary.theory.prerequisites.gaussian import Gaussian

LEVELS = torch.tensor([0.05, 0.25, 0.5, 0.75, 0.95], dtype=torch.float64)


class Given(NamedTuple):
    z: Float[Tensor, "n k"]  # X = mu + root(Sigma) z
    law: Gaussian  # mu and Sigma
    A: Float[Tensor, "p k"]
    b: Float[Tensor, " p"]
    u: Float[Tensor, "q p"]  # directions to look along


class GaussianAffine(Claim[Given]):
    n: int = option(8000, low=100, high=1_000_000)  # draws
    k: int = option(2, low=1, high=20)  # dimension of X
    p: int = option(3, low=1, high=20)  # dimension of Y

    relation = within_interval(level=0.99999, resolution=0.04)  # 15 proportions of 8000 draws
    supposes = Suppose(
        "X is normal",
        lambda g: min(kstest(column.numpy(), "norm").pvalue for column in g.z.T) - 1e-6,
        "Random signs have the same mean and covariance, but another distribution.",
        z=lambda g: torch.where(g.z > 0, 1.0, -1.0).double(),
    )
    symbols = "level of the quantile", "share of uᵀY below the quantile of N(uᵀ(Aμ + b), uᵀAΣAᵀu)"

    def given(self, rng: Generator) -> Given:
        z, k, p = normal(rng, self.n, self.k), self.k, self.p
        root = normal(rng, k, k) + 0.5 * torch.eye(k, dtype=torch.float64)
        law = Gaussian(normal(rng, k), root @ root.T)
        return Given(z, law, normal(rng, p, k), normal(rng, p), normal(rng, 3, p))

    def predict(self, given: Given) -> Tensor:
        return LEVELS.repeat(len(given.u))

    def measure(self, given: Given) -> Kept:
        z, law, A, b, u = given
        Y = law.affine(A, b)
        y = ((law.mean + z @ law.root()) @ A.T + b - Y.mean) @ u.T
        y = y / ((u @ Y.covariance) * u).sum(dim=1).sqrt()  # standard normal, if Y is what it says
        below = y[:, :, None] <= torch.special.ndtri(LEVELS)
        return Kept([Count(hits, len(z)) for hits in below.sum(dim=0).flatten()], y=y[:, 0])

    @picture("A projection of Y = AX + b", x="(uᵀY − mean) / standard deviation", y="density")
    def marks(self, trial: Trial[Given]) -> Marks:
        t = torch.linspace(-4, 4, 65, dtype=torch.float64)
        density = torch.exp(-t.square() / 2) / (2 * torch.pi) ** 0.5
        yield Histogram(trial.kept.y, t[::2], "draws")
        yield Curve(density, t, label="standard normal", role="predicted")
        for b in trial.without:  # of four values each in a bin of width 1/4
            yield Histogram(b.kept.y, t[::2], b.words, "other")
