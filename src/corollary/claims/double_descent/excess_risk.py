r"""Excess risk of a linear predictor.

If :math:`y=w_*^\top\varphi+\epsilon` with noise of mean 0 and variance :math:`\sigma^2` that is
independent of the features, the squared risk of any :math:`w` is

.. math:: R(w)=\sigma^2+(w-w_*)^\top\Sigma(w-w_*),\qquad\Sigma=\mathbb E\,\varphi\varphi^\top,

with second moments that are not centred.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2, Theorem 80; Bach (2024),
    Learning Theory from First Principles, Proposition 3.3.
:kind: identity
:covers: excess-risk-quadratic, planted-regression-model
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, normal, option, within_interval
from corollary.data.planted import planted
from corollary.theory.double_descent.risk import excess_risk, misspecification


class Given(NamedTuple):
    phi: Float[Tensor, "m p"]  # test points
    y: Float[Tensor, " m"]  # their labels
    w_star: Float[Tensor, " p"]  # the planted predictor
    Sigma: Float[Tensor, "p p"]  # covariance of the points
    direction: Float[Tensor, " p"]  # predictors are w* + s direction

    def predictors(self, shares: tuple[float, ...]) -> list[Tensor]:
        """One for each share s of the direction."""
        return [self.w_star + s * self.direction for s in shares]


class ExcessRisk(Claim[Given]):
    p: int = option(3, low=1, high=10)  # features
    sigma: float = option(0.5, low=0.1, high=2.0)  # standard deviation of the noise
    points: int = option(40_000, low=10_000, high=1_000_000)  # test points
    shares: tuple[float, ...] = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0)  # s, for w = w* + s u

    relation = within_interval(level=0.999999, resolution=0.6)  # chance: one seed in a million
    supposes = (
        Suppose(
            "the labels are planted: y − w*·φ is independent of φ",
            lambda g: misspecification(g.phi, g.y, g.w_star) - 1e-6,
            "The labels contain a square that no linear rule can represent, which adds to every "
            "risk.",
            y=lambda g: g.y + (g.phi @ g.direction) ** 2,
        ),
        Suppose(
            "Σ is the second moment of the features",
            lambda g: _moment_off(g) < 0.2,
            "Twice the second moment predicts twice the excess.",
            Sigma=lambda g: 2 * g.Sigma,
        ),
    )
    symbols = "σ² + ‖w − w*‖²_Σ", "mean squared error of the test points"
    rows = "s = {shares}"
    shows = Along(
        "Excess risk is a squared distance", x="s, for w = w* + s u", y="R(w)", at="shares"
    )

    def given(self, rng: Generator) -> Given:
        root = normal(rng, self.p, self.p)
        Sigma = root @ root.T / self.p + 0.2 * torch.eye(self.p, dtype=torch.float64)
        data = planted(self.points, self.p, Sigma=Sigma, sigma=self.sigma, rng=rng)
        u = normal(rng, self.p)
        u = u / float(excess_risk(u, torch.zeros_like(u), Sigma)) ** 0.5
        return Given(data.phi, data.y, data.w_star, Sigma, u)

    def predict(self, given: Given) -> list[float]:
        risks = (excess_risk(w, given.w_star, given.Sigma) for w in given.predictors(self.shares))
        return [self.sigma**2 + float(risk) for risk in risks]

    def measure(self, given: Given) -> list[Sample]:
        errors = (given.phi @ w - given.y for w in given.predictors(self.shares))
        return [Sample(e.square()) for e in errors]


def _moment_off(given: Given) -> float:
    """How far Σ is from the second moment of the features, relative to it."""
    seen = given.phi.T @ given.phi / len(given.phi)
    return float((seen - given.Sigma).norm() / seen.norm())
