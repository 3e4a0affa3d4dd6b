r"""A trained random-feature model is a Gaussian process posterior.

Start gradient flow on the squared loss at :math:`\theta_0 \sim N(0, I)` and let it converge: over
the draws of :math:`\theta_0` the outputs are Gaussian with

.. math:: \text{mean } K(x, X)K^{-1}y, \qquad
          \text{covariance } K(x, x') - K(x, X)K^{-1}K(X, x'),

the posterior of the initial process given y without noise. At training inputs the spread is zero.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 56, Figure 7.3; Matthews, Hron, Turner
    and Ghahramani (2017), "Sample-then-optimize posterior sampling for Bayesian linear models".
:kind: theorem
:uses: kernel_flow, random_feature_initial
:covers: random-feature-final-distribution
:erratum: [typo] The printed variance ends in K(x, X), a row after a matrix; it must be K(X, x). In
    the proof the second block of the shift must be y, not 0, since f(X) = y at the end.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Sample, Suppose, Trial, normal, option, within_interval
from corollary.core.picture import Band, Curve, Marks, Points, picture
from corollary.core.witness import mean_square_is
from corollary.models.random_features import RandomFeatures, rf_final_distribution

GRID = torch.linspace(-3, 3, 61, dtype=torch.float64)
CHECKED = [5, 30, 55]  # places of the grid at which mean and variance are compared


class Given(NamedTuple):
    x: Float[Tensor, " n"]  # inputs
    y: Float[Tensor, " n"]  # targets
    phi: Float[Tensor, "n p"]  # features of the inputs, divided by sqrt(p)
    grid: Float[Tensor, "m p"]  # of the grid
    start: Float[Tensor, "draws p"]  # where training starts

    @property
    def posterior(self) -> tuple[Tensor, Tensor]:
        phi, grid = self.phi, self.grid
        return rf_final_distribution(grid @ grid.T, phi @ grid.T, phi @ phi.T, self.y)


class RandomFeatureFinal(Claim[Given]):
    p: int = option(200, low=10, high=2000)  # features
    draws: int = option(2000, low=10, high=100_000)  # models

    relation = within_interval(
        level=0.999,
        resolution=0.15,
        coarse="some means are near zero, where a quarter of the mean is too small a tolerance",
    )  # squares of spread 1, 2000 draws
    supposes = (
        Suppose(
            "training starts at standard normal weights",
            lambda g: mean_square_is(g.start, 1.0),
            "If training starts at zero, it always ends at the posterior mean.",
            start=lambda g: 1e-3 * g.start,
        ),
        Suppose("K is invertible", lambda g: int(torch.linalg.matrix_rank(g.phi)) == len(g.y)),
    )
    symbols = "Gaussian process posterior", "over trained models"
    rows = tuple(f"{s}, x = {float(GRID[k]):.2g}" for s in ("mean", "variance") for k in CHECKED)

    def given(self, rng: Generator) -> Given:
        x = torch.tensor([-2.0, -0.7, 0.6, 1.9], dtype=torch.float64)
        model = RandomFeatures(1, self.p, kind="fourier", rng=rng)
        phi, grid = (model.features(t[:, None]) / self.p**0.5 for t in (x, GRID))
        return Given(x, normal(rng, 4), phi, grid, normal(rng, self.draws, self.p))

    def predict(self, given: Given) -> Tensor:
        mean, cov = given.posterior
        return torch.cat([mean[CHECKED], cov.diagonal()[CHECKED]])

    def measure(self, given: Given) -> Kept:
        rest = given.y - given.start @ given.phi.T  # flow ends at the nearest interpolating weights
        f = (given.start + rest @ torch.linalg.pinv(given.phi).T) @ given.grid.T
        at, n = f[:, CHECKED], len(f)
        squares = (at - at.mean(0)).square() * n / (n - 1)
        return Kept([Sample(column) for column in (*at.T, *squares.T)], f=f)

    @picture("Trained random-feature models", x="x", y="f(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        mean, cov = trial.given.posterior
        two = 2 * cov.diagonal().clamp(min=0).sqrt()
        yield Band(GRID, mean - two, mean + two, label="±2 std", role="predicted")
        yield Curve(mean, x=GRID, label="K(x, X) K⁻¹ y", role="predicted")
        yield Points(trial.given.x, trial.given.y, label="data", role="other")
        for k in range(5):
            yield Curve(trial.kept.f[k], x=GRID, label=f"trained model {k + 1}")
