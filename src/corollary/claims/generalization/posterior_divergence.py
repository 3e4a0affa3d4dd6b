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
:covers: gaussian-posterior-kl
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.distributions import Normal

from corollary.core import Claim, Sample, Suppose, Trial, normal, option, uniform, within_interval
from corollary.core.picture import Curve, Level, Marks, Points, picture
from corollary.theory.generalization.gaussian_posterior import (
    kl_gaussian_posterior,
    optimal_lambda,
)


class Given(NamedTuple):
    theta: Float[Tensor, " p"]  # mean of the posterior
    s: Float[Tensor, " p"]  # its variances
    theta0: Float[Tensor, " p"]  # mean of the prior
    lam: float  # its variance
    draws: Float[Tensor, "n p"]  # from the posterior


def has_variances(given: Given) -> tuple[bool, str]:
    """The spread of the draws around their mean, in units of s."""
    ratio = given.draws.var(dim=0) / given.s
    off = float((ratio - 1).abs().max())
    return off < 10 / len(given.draws) ** 0.5, f"largest difference {100 * off:.2g} %"


def has_means(given: Given) -> tuple[bool, str]:
    """The mean of the draws, in standard errors from θ."""
    error = (given.draws.var(dim=0) / len(given.draws)).sqrt()
    off = float(((given.draws.mean(dim=0) - given.theta).abs() / error).max())
    return off < 6, f"largest difference {off:.2g} standard errors"


class PosteriorDivergence(Claim[Given]):
    p: int = option(10, low=1, high=1000)  # weights
    draws: int = option(100_000, low=1000)  # draws from the posterior

    # The log-ratio has deviation about 2: 0.03 at this confidence. Chance: one seed in a million.
    relation = within_interval(level=0.999999, resolution=0.05)
    supposes = (
        Suppose(
            "s holds the variances of the weights",
            has_variances,
            "The draws use s as standard deviations instead of variances.",
            draws=lambda g: g.theta + g.s * ((g.draws - g.theta) / g.s.sqrt()),
        ),
        Suppose(
            "θ is the mean of the weights",
            has_means,
            "The draws have another mean.",
            draws=lambda g: g.draws + 0.5,
        ),
        Suppose(
            "all variances are positive",
            lambda g: bool((g.s > 0).all()) and g.lam > 0,
        ),
    )
    symbols = "KL(Q‖P), formula", "mean of ln dQ/dP over draws"

    def given(self, rng: Generator) -> Given:
        theta, theta0 = normal(rng, 2, self.p) / 2
        s = 0.05 + 0.95 * uniform(rng, self.p)
        return Given(theta, s, theta0, 1.0, theta + s.sqrt() * normal(rng, self.draws, self.p))

    def predict(self, given: Given) -> float:
        return float(kl_gaussian_posterior(given.theta, given.s, given.theta0, given.lam))

    def measure(self, given: Given) -> Sample:
        posterior = Normal(given.theta, given.s.sqrt())
        prior = Normal(given.theta0, given.lam**0.5)
        return Sample((posterior.log_prob(given.draws) - prior.log_prob(given.draws)).sum(1))

    @picture("The best variance of the prior", x="λ", y="KL(Q‖P)", log="x")
    def marks(self, trial: Trial[Given]) -> Marks:
        theta, s, theta0, lam, _ = trial.given
        best = optimal_lambda(theta, s, theta0)
        grid = (best * torch.logspace(-1, 1, 81, dtype=torch.float64)).tolist()
        valley = [float(kl_gaussian_posterior(theta, s, theta0, v)) for v in grid]
        (r,) = trial.comparison.measured
        yield Curve(valley, grid, label="formula", role="predicted")
        yield Level(best, label="λ*", axis="x", role="other")
        yield Points([lam], [r.value], label="from draws", low=[r.low], high=[r.high])
