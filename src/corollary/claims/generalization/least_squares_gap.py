r"""The generalisation gap of least squares.

Fit d coefficients to :math:`n>d+1` Gaussian points :math:`x_i\in\mathbb R^d` with targets
:math:`y_i=\langle w^*,x_i\rangle+\epsilon_i`, noise of variance :math:`\sigma^2`. The mean squared
errors on the sample and on a new point have expectations
:math:`\sigma^2(1-\frac dn)` and :math:`\sigma^2(1+\frac d{n-d-1})`, so the gap is

.. math:: \mathbb E[\hat J(\hat w)-J(\hat w)]=-\sigma^2\Bigl(\frac dn+\frac d{n-d-1}\Bigr)<0 .

For a w that does not depend on the sample the expected gap is 0.

:source: Mathematical Foundations of Deep Learning (slides), Generalization Error; Breiman and
    Freedman (1983), "How many variables should be entered in a regression equation?".
:kind: identity
:uses: ols_variance
:covers: generalization-gap
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Sample, Spread, Suppose, Sweep, normal, option, within_interval
from corollary.core.witness import mean_square_is, near


class Given(NamedTuple):
    x: Float[Tensor, "t n d"]  # repeated samples
    y: Float[Tensor, "t n"]
    truth: Float[Tensor, " d"]  # true coefficients
    w: Float[Tensor, "t d"]  # those that are judged
    sigma: float  # noise


def fitted(x: Tensor, y: Tensor) -> Tensor:
    """Coefficients of least squares for each sample."""
    w: Tensor = torch.linalg.solve(x.mT @ x, x.mT @ y[..., None])[..., 0]
    return w


def noisier(given: Given) -> Given:
    """The noise is twice as large as stated, and the gap is four times as large."""
    y = 2 * given.y - given.x @ given.truth
    return given._replace(y=y, w=fitted(given.x, y))


class LeastSquaresGap(Claim[Given]):
    n: int = option(40, low=5, high=200)  # points in a sample
    d: int = option(8, low=1, high=40)  # coefficients
    sigma: float = option(1.0, low=0.1, high=3.0)  # standard deviation of the noise
    trials: int = option(3000, low=500, high=10000)  # samples

    relation = within_interval(level=0.9999, resolution=0.05)  # 3000 samples know it to 0.03
    supposes = (
        Suppose("there are more than d + 1 points", lambda g: g.x.shape[1] - g.x.shape[2] - 1),
        Suppose(
            "the coefficients were fitted on the sample",
            lambda g: near((g.x.mT @ (g.x @ g.w[..., None] - g.y[..., None])), 0.0, to=1e-6),
            "If the coefficients are fixed before the sample is drawn, there is no gap.",
            w=lambda g: g.truth.expand_as(g.w),
        ),
        Suppose(
            "the noise has variance σ²",
            lambda g: mean_square_is((g.y - g.x @ g.truth) / g.sigma, 1.0),
            without=noisier,
        ),
    )
    symbols = "−σ²(d/n + d/(n−d−1))", "Ĵ − J"
    shows = (
        Spread("Training error and test error of least squares"),
        Sweep("The generalisation gap shrinks with more points", "n", (12, 16, 24, 40, 80)),
    )

    def given(self, rng: Generator) -> Given:
        truth, x = normal(rng, self.d), normal(rng, self.trials, self.n, self.d)
        y = x @ truth + self.sigma * normal(rng, self.trials, self.n)
        return Given(x, y, truth, fitted(x, y), self.sigma)

    def predict(self, given: Given) -> float:
        _, n, d = given.x.shape
        return -(given.sigma**2) * (d / n + d / (n - d - 1)) if n > d + 1 else -math.inf

    def measure(self, given: Given) -> Sample:
        x, y, truth, w, sigma = given
        inside = ((x @ w[..., None])[..., 0] - y).square().mean(dim=1)
        return Sample(inside - sigma**2 - (w - truth).square().sum(dim=1))
