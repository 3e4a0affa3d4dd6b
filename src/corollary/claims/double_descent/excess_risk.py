r"""Excess risk of a linear predictor.

If :math:`y=w_*^\top\varphi+\epsilon` with noise of mean 0 and variance :math:`\sigma^2` that is
independent of the features, the squared risk of any :math:`w` is

.. math:: R(w)=\sigma^2+(w-w_*)^\top\Sigma(w-w_*),\qquad\Sigma=\mathbb E\,\varphi\varphi^\top,

with second moments that are not centred.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2, Theorem 80; Bach (2024),
    Learning Theory from First Principles, Proposition 3.3.
:kind: identity
:cost: instant
:covers: excess-risk-quadratic, planted-regression-model
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, option, within_interval
from corollary.data.planted import planted
from corollary.theory.double_descent.risk import excess_risk, misspecification


class Given(NamedTuple):
    """Test points, and predictors on the way through the planted one."""

    phi: Float[Tensor, "m p"]
    y: Float[Tensor, " m"]
    w_star: Float[Tensor, " p"]
    Sigma: Float[Tensor, "p p"]
    direction: Float[Tensor, " p"]  # predictors are w* + s direction


@dataclass(frozen=True)
class ExcessRisk(Claim[Given]):
    """The risk of several predictors, exact and on test points."""

    p: int = option(3, low=1, high=10)  # features
    sigma: float = option(0.5, low=0.1, high=2.0)  # standard deviation of the noise
    points: int = option(40_000, low=10_000, high=1_000_000)  # test points
    relation = within_interval(level=0.999999, resolution=0.6)  # chance: one seed in a million

    def given(self, rng: Generator) -> Given:
        """Correlated features."""
        root = torch.randn(self.p, self.p, generator=rng, dtype=torch.float64)
        Sigma = root @ root.T / self.p + 0.2 * torch.eye(self.p, dtype=torch.float64)
        data = planted(self.points, self.p, Sigma=Sigma, sigma=self.sigma, rng=rng)
        u = torch.randn(self.p, generator=rng, dtype=torch.float64)
        u = u / float(excess_risk(u, torch.zeros_like(u), Sigma)) ** 0.5
        return Given(data.phi, data.y, data.w_star, Sigma, u)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """What is left of the labels does not know the features."""
        p = misspecification(given.phi, given.y, given.w_star)
        yield Hypothesis(
            "the labels are planted: y - w*·φ is independent of φ", p > 1e-6,
            f"chance of so much structure {p:.2g}",
        )  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """Noise and the quadratic form."""
        return [
            self.sigma**2 + float(excess_risk(w, given.w_star, given.Sigma))
            for w in self._predictors(given, _SHARES)
        ]

    def measure(self, given: Given) -> list[Sample]:
        """Squared errors on test points."""
        return [
            Sample((given.phi @ w - given.y).square()) for w in self._predictors(given, _SHARES)
        ]

    def counterexample(self, rng: Generator) -> Given:
        """A square in the labels that no linear rule has."""
        given = self.given(rng)
        return given._replace(y=given.y + (given.phi @ given.direction) ** 2)

    def figure(self, given: Given) -> Figure:
        """The parabola along a line, and a target with a square in it."""
        s = torch.linspace(-2, 2, 41).tolist()
        exact = [
            self.sigma**2 + float(excess_risk(w, given.w_star, given.Sigma))
            for w in self._predictors(given, s)
        ]
        few = torch.linspace(-2, 2, 9).tolist()
        reads = [
            Sample((given.phi @ w - given.y).square()).read(0.99)
            for w in self._predictors(given, few)
        ]
        return Figure(
            "Excess risk is a squared distance",
            x="s, for w = w* + s u",
            y="R(w)",
            marks=(
                Curve(exact, s, label="σ² + ‖w − w*‖²_Σ", role="predicted"),
                Points(
                    few,
                    [r.value for r in reads],
                    low=[r.low for r in reads],
                    high=[r.high for r in reads],
                    label="mean of the test points, 99 %",
                ),
            ),
        )

    def _predictors(self, given: Given, shares: list[float]) -> list[Tensor]:
        return [given.w_star + s * given.direction for s in shares]


_SHARES = [0.0, -1.0, 0.5, 2.0]
