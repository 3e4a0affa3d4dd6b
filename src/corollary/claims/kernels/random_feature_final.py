r"""A trained random-feature model is a Gaussian process posterior.

Start gradient flow on the squared loss at :math:`\theta_0 \sim N(0, I)` and let it converge: over
the draws of :math:`\theta_0` the outputs are Gaussian with

.. math:: \text{mean } K(x, X)K^{-1}y, \qquad
          \text{covariance } K(x, x') - K(x, X)K^{-1}K(X, x'),

the posterior of the initial process given y without noise. At training inputs the spread is zero.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 56, Figure 7.3; Matthews, Hron, Turner
    and Ghahramani (2017), "Sample-then-optimize posterior sampling for Bayesian linear models".
:kind: theorem
:cost: instant
:covers: random-feature-final-distribution
:erratum: [typo] The printed variance ends in K(x, X), a row after a matrix; it must be K(X, x). In
    the proof the second block of the shift must be y, not 0, since f(X) = y at the end.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Band,
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Sample,
    option,
    within_interval,
)
from corollary.models.random_features import RandomFeatures, rf_final_distribution

GRID = torch.linspace(-3, 3, 61, dtype=torch.float64)[:, None]
CHECKED = (5, 30, 55)  # places of the grid at which mean and variance are compared


class Given(NamedTuple):
    """Features of training inputs and of a grid, targets, and where training starts."""

    x: Float[Tensor, "n 1"]
    y: Float[Tensor, " n"]
    phi: Float[Tensor, "n p"]  # of the training inputs, divided by sqrt(p)
    grid: Float[Tensor, "m p"]
    start: Float[Tensor, "draws p"]


class RandomFeatureFinal(Claim[Given]):
    p: int = option(200, low=10, high=2000)  # features
    draws: int = option(2000, low=10, high=100_000)  # models
    relation = within_interval(level=0.999, resolution=0.15)  # squares of spread 1, 2000 draws

    def given(self, rng: Generator) -> Given:
        """Random waves fitted to four points."""
        x = torch.tensor([[-2.0], [-0.7], [0.6], [1.9]], dtype=torch.float64)
        y = torch.randn(4, generator=rng, dtype=torch.float64)
        model = RandomFeatures(1, self.p, kind="fourier", rng=rng)
        phi, grid = (model.features(t) / self.p**0.5 for t in (x, GRID))
        return Given(x, y, phi, grid, torch.randn(self.draws, self.p, generator=rng, dtype=y.dtype))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A Gaussian start and an invertible kernel."""
        square = float((given.start**2).mean())
        near = abs(square - 1) < 6 * (2 / given.start.numel()) ** 0.5
        yield Hypothesis("training starts at standard normal weights", near)
        rank = int(torch.linalg.matrix_rank(given.phi))
        yield Hypothesis("K is invertible", rank == len(given.y))

    def predict(self, given: Given) -> list[float]:
        """Posterior mean and variance."""
        mean, cov = self._posterior(given)
        places = list(CHECKED)
        return [*mean[places].tolist(), *cov.diagonal()[places].tolist()]

    def measure(self, given: Given) -> list[Sample]:
        """Over the trained models."""
        f, mean = self._trained(given), self._posterior(given)[0]
        values = [Sample(f[:, k].tolist()) for k in CHECKED]
        return [*values, *(Sample(((f[:, k] - mean[k]) ** 2).tolist()) for k in CHECKED)]

    def counterexample(self, rng: Generator) -> Given:
        """Training from zero always ends in the mean."""
        given = self.given(rng)
        return given._replace(start=torch.zeros_like(given.start) + 1e-3 * given.start)

    def figure(self, given: Given) -> Figure:
        """The ensemble and its law."""
        mean, cov = self._posterior(given)
        spread = 2 * cov.diagonal().clamp(min=0).sqrt()
        x = GRID[:, 0]
        shown = [
            Curve(f, x=x, label=f"trained model {k + 1}")
            for k, f in enumerate(self._trained(given)[:5])
        ]
        return Figure(
            "Trained random-feature models",
            x="x",
            y="f(x)",
            marks=(
                Band(x, mean - spread, mean + spread, label="±2 std", role="predicted"),
                Curve(mean, x=x, label="K(x, X) K⁻¹ y", role="predicted"),
                *shown,
                Points(given.x[:, 0], given.y, label="data", role="other"),
            ),
        )

    def _posterior(self, given: Given) -> tuple[Tensor, Tensor]:
        phi, grid = given.phi, given.grid
        return rf_final_distribution(grid @ grid.T, phi @ grid.T, phi @ phi.T, given.y)

    def _trained(self, given: Given) -> Float[Tensor, "draws m"]:
        """Limits of gradient flow: the nearest interpolating weights to each start."""
        rest = given.y - given.start @ given.phi.T  # (draws, n)
        theta = given.start + rest @ torch.linalg.pinv(given.phi).T
        return theta @ given.grid.T
