r"""Divergence of a normal posterior over weights.

For :math:`Q=N(\theta,\mathrm{diag}(s))` and :math:`P=N(\theta_0,\lambda I)` in p dimensions, s and
:math:`\lambda` *variances*,

.. math:: \mathrm{KL}(Q\|P)=\frac12\Bigl[\frac{\sum_is_i+\|\theta-\theta_0\|^2}\lambda-p
    +p\ln\lambda-\sum_i\ln s_i\Bigr],

smallest in :math:`\lambda` at :math:`\lambda^*=(\sum_is_i+\|\theta-\theta_0\|^2)/p`. Weights that
may be noisy (large :math:`s_i`) cost few nats: this is how wide minima enter the bound.

:source: Lucchi (2025), Foundations of Deep Learning, Section 9.2; Dziugaite and Roy (2017),
    "Computing nonvacuous generalization bounds for deep (stochastic) neural networks".
:kind: identity
:cost: instant
:covers: gaussian-posterior-kl
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Points,
    Sample,
    option,
    within_interval,
)
from corollary.theory.generalization.gaussian_posterior import (
    kl_gaussian_posterior,
    optimal_lambda,
)


class Given(NamedTuple):
    """Posterior, prior, and draws from the posterior."""

    theta: Float[Tensor, " p"]
    s: Float[Tensor, " p"]
    theta0: Float[Tensor, " p"]
    lam: float
    draws: Float[Tensor, "n p"]


@dataclass(frozen=True)
class PosteriorDivergence(Claim[Given]):
    """The closed form against the mean log-ratio of densities over draws."""

    p: int = option(10, low=1, high=1000)  # weights
    draws: int = option(100_000, low=1000)  # draws from the posterior
    relation = within_interval(resolution=0.05)  # the log-ratio has deviation about 2: 0.02 at 99 %

    def given(self, rng: Generator) -> Given:
        """A posterior near the prior, with variances between 0.05 and 1."""

        def normal(*shape: int) -> Tensor:
            return torch.randn(shape, generator=rng, device=rng.device, dtype=torch.float64)

        theta, theta0 = normal(self.p) / 2, normal(self.p) / 2
        s = 0.05 + 0.95 * torch.rand(self.p, generator=rng, device=rng.device, dtype=torch.float64)
        return Given(theta, s, theta0, 1.0, theta + s.sqrt() * normal(self.draws, self.p))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """What s means."""
        found = (given.draws - given.theta).square().mean(0) / given.s
        close = bool(((found - 1).abs() < 10 / len(given.draws) ** 0.5).all())
        yield Hypothesis("s holds the variances of the weights", close)
        yield Hypothesis("all variances are positive", bool((given.s > 0).all()) and given.lam > 0)

    def predict(self, given: Given) -> float:
        """The formula."""
        return float(kl_gaussian_posterior(given.theta, given.s, given.theta0, given.lam))

    def measure(self, given: Given) -> Sample:
        """Log-ratios of the two densities at the draws, by torch's own."""
        normal = torch.distributions.Normal
        prior = given.lam**0.5 * torch.ones_like(given.s)
        ratio = normal(given.theta, given.s.sqrt()).log_prob(given.draws)
        ratio = ratio - normal(given.theta0, prior).log_prob(given.draws)
        return Sample(ratio.sum(1).tolist())

    def counterexample(self, rng: Generator) -> Given:
        """Draws with s as standard deviations, the common slip."""
        given = self.given(rng)
        z = (given.draws - given.theta) / given.s.sqrt()
        return given._replace(draws=given.theta + given.s * z)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Over the prior's variance, and over the noise that one weight may have."""
        theta, s, theta0, lam, _ = given
        best = optimal_lambda(theta, s, theta0)
        grid = (best * torch.logspace(-1, 1, 81, dtype=torch.float64)).tolist()
        valley = [float(kl_gaussian_posterior(theta, s, theta0, v)) for v in grid]
        noise = torch.logspace(-4, 0.5, 81, dtype=torch.float64)
        one, at = theta[:1], theta0[:1]
        nats = [float(kl_gaussian_posterior(one, v[None], at, lam)) for v in noise]
        reading = self.measure(given).read(0.99)
        return (
            Figure(
                "The best variance of the prior",
                x="λ",
                y="KL(Q‖P)",
                log_x=True,
                marks=(
                    Curve(valley, x=grid, label="formula", role="predicted"),
                    Level(best, label="λ*", axis="x", role="other"),
                    Points(
                        [lam],
                        [reading.value],
                        label="from draws (bar: 99 %)",
                        low=[reading.low],
                        high=[reading.high],
                    ),
                ),
            ),
            Figure(
                "A weight that may be noisy is cheap",
                x="s₁",
                y="nats for the weight θ₁",
                log_x=True,
                marks=(Curve(nats, x=noise.tolist(), label="formula", role="predicted"),),
            ),
        )
