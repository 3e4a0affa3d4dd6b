r"""A random-feature model is a Gaussian process at the start.

For :math:`f = \theta^\top\phi(x)/\sqrt p` with :math:`\theta \sim N(0, I_p)`, given the features,

.. math:: f(x) \sim N(0, K(x, x)), \qquad \mathrm{Cov}(f(x), f(x')) = K(x, x')
          = \phi(x)^\top\phi(x')/p,

exactly and for every p.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 55.
:kind: theorem
:cost: instant
:covers: random-feature-initial-gp
:erratum: [typo] Theorem 55 leaves out the factor 1/sqrt(p) of the model; without it the covariance
    is p K (the counterexample).
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Histogram,
    Hypothesis,
    Sample,
    option,
    within_interval,
)
from corollary.models.random_features import RandomFeatures


class Given(NamedTuple):
    """Features of a few inputs, draws of theta, and the factor in the output."""

    phi: Float[Tensor, "n p"]
    theta: Float[Tensor, "draws p"]
    factor: float


class RandomFeatureInitial(Claim[Given]):
    p: int = option(50, low=1, high=2000)  # features
    draws: int = option(10_000, low=100, high=200_000)  # models
    relation = within_interval(level=0.999, resolution=0.6)  # fourth moments: spread 10 by draw

    def given(self, rng: Generator) -> Given:
        """ReLU features of three unit inputs."""
        x = torch.randn(3, 4, generator=rng, dtype=torch.float64)
        model = RandomFeatures(4, self.p, rng=rng)
        phi = model.features(2**0.5 * x / x.norm(dim=1, keepdim=True))
        theta = torch.randn(self.draws, self.p, generator=rng, dtype=torch.float64)
        return Given(phi, theta, self.p**-0.5)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The factor, and a Gaussian start."""
        p = given.phi.shape[1]
        yield Hypothesis("the output carries 1/sqrt(p)", abs(given.factor * p**0.5 - 1) < 1e-12)
        near = abs(float((given.theta**2).mean()) - 1) < 6 * (2 / given.theta.numel()) ** 0.5
        yield Hypothesis("theta is standard normal", near)

    def predict(self, given: Given) -> list[float]:
        """Entries of K, and the standardised fourth moment of a Gaussian."""
        k = given.phi @ given.phi.T / given.phi.shape[1]
        return [float(k[0, 0]), float(k[0, 1]), float(k[1, 2]), 3.0]

    def measure(self, given: Given) -> list[Sample]:
        """Products of outputs."""
        f = given.factor * given.theta @ given.phi.T
        k = given.phi @ given.phi.T / given.phi.shape[1]
        fourth = (f[:, 0] / k[0, 0].sqrt()) ** 4
        pairs = [(0, 0), (0, 1), (1, 2)]
        return [*(Sample((f[:, i] * f[:, j]).tolist()) for i, j in pairs), Sample(fourth.tolist())]

    def counterexample(self, rng: Generator) -> Given:
        """No factor, as printed."""
        return self.given(rng)._replace(factor=1.0)

    def figure(self, given: Given) -> Figure:
        """The law of one output."""
        k = float(given.phi[0] @ given.phi[0]) / given.phi.shape[1]
        z = torch.linspace(-4, 4, 161) * k**0.5
        density = torch.exp(-(z**2) / (2 * k)) / (2 * torch.pi * k) ** 0.5
        return Figure(
            "Output of a random-feature model",
            x="f(x)",
            y="density",
            marks=(
                Histogram(given.factor * given.theta @ given.phi[0], label="over draws of θ"),
                Curve(density, x=z, label="N(0, K(x, x))", role="predicted"),
            ),
        )
