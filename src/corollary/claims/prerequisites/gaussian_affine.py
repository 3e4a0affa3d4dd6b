r"""Affine images of normal vectors.

If :math:`X\sim N(\mu,\Sigma)` in :math:`\mathbb{R}^k` and :math:`Y=AX+b`, then

.. math:: Y\sim N(A\mu+b,\;A\Sigma A^\top),

singular where :math:`A\Sigma A^\top` is. Every projection of Y is normal with the mean and variance
this gives. Mean and covariance transform so for any law of X, normality does not come for free.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.7, Problem 4.
:kind: theorem
:cost: instant
:covers: gaussian-affine-rule, gaussian-moments
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Count,
    Curve,
    Figure,
    Histogram,
    Hypothesis,
    option,
    within_interval,
)
from corollary.theory.prerequisites.gaussian import Gaussian

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


class Given(NamedTuple):
    """Draws of X with its law's parameters, an affine map, and directions to look along."""

    x: Float[Tensor, "n k"]
    law: Gaussian
    A: Float[Tensor, "p k"]
    b: Float[Tensor, " p"]
    u: Float[Tensor, "q p"]


class GaussianAffine(Claim[Given]):
    n: int = option(8000, low=100, high=1_000_000)  # draws
    k: int = option(2, low=1, high=20)  # dimension of X
    p: int = option(3, low=1, high=20)  # dimension of Y
    relation = within_interval(level=0.999, resolution=0.04)  # 15 proportions of 8000 draws

    def given(self, rng: Generator) -> Given:
        """Draws of a normal law with a random covariance."""
        return self._with(rng, torch.randn(self.n, self.k, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A Kolmogorov-Smirnov test of each whitened coordinate of X."""
        from scipy.stats import kstest

        z = _white(given)
        least = min(float(kstest(column.numpy(), "norm").pvalue) for column in z.T)
        yield Hypothesis("X is normal", least > 1e-6, f"least p-value {least:.2g}")

    def predict(self, given: Given) -> list[float]:
        """The levels themselves, for each direction."""
        return list(LEVELS) * len(given.u)

    def measure(self, given: Given) -> list[Count]:
        """Draws of u'Y below the quantiles of N(u'(A mu + b), u' A Sigma A' u)."""
        n = len(given.x)
        below = _standardised(given)[:, :, None] <= _quantiles()  # n q levels
        return [Count(int(hits), n) for hits in below.sum(dim=0).flatten()]

    def counterexample(self, rng: Generator) -> Given:
        """Signs in place of normals: the same mean and covariance, another law."""
        signs = torch.randint(0, 2, (self.n, self.k), generator=rng)
        return self._with(rng, 2.0 * signs.double() - 1)

    def figure(self, given: Given) -> Figure:
        """One projection with its predicted density."""
        Y = given.law.affine(given.A, given.b)
        u = given.u[0]
        mean, spread = float(u @ Y.mean), float(u @ Y.covariance @ u) ** 0.5
        t = torch.linspace(mean - 4 * spread, mean + 4 * spread, 161, dtype=torch.float64)
        density = torch.exp(-0.5 * ((t - mean) / spread) ** 2) / (spread * (2 * torch.pi) ** 0.5)
        return Figure(
            "A projection of Y = AX + b",
            x="uᵀY",
            y="density",
            marks=(
                Histogram((given.x @ given.A.T + given.b) @ u, label="draws"),
                Curve(density, t, "N(uᵀ(Aμ + b), uᵀAΣAᵀu)", "predicted"),
            ),
        )

    def _with(self, rng: Generator, z: Tensor) -> Given:
        """The vectors mu + root(Sigma) z, for z with mean 0 and covariance 1."""

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, dtype=torch.float64)

        root = normal(self.k, self.k) + 0.5 * torch.eye(self.k, dtype=torch.float64)
        law = Gaussian(normal(self.k), root @ root.T)
        u = normal(3, self.p)
        return Given(law.mean + z @ law.root(), law, normal(self.p, self.k), normal(self.p), u)


def _quantiles() -> Tensor:
    return torch.special.ndtri(torch.tensor(LEVELS, dtype=torch.float64))


def _standardised(given: Given) -> Tensor:
    """Projections of Y, less their predicted means, over their predicted deviations."""
    Y = given.law.affine(given.A, given.b)
    y = (given.x @ given.A.T + given.b - Y.mean) @ given.u.T
    return y / ((given.u @ Y.covariance) * given.u).sum(dim=1).sqrt()


def _white(given: Given) -> Tensor:
    return torch.linalg.solve(given.law.root(), (given.x - given.law.mean).T).T
