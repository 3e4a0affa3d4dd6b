r"""Bias and variance when features are added one by one.

Labels are a linear function of d = 128 standard normal coordinates plus noise; the model sees the
first p of them and n = 32 points. With :math:`\tau^2` the squared length of the omitted weights and
:math:`\omega^2` that of the others,

.. math:: \begin{aligned}p\le n-2:\quad&\text{bias}=\tau^2,&&
   \text{variance}=(\sigma^2+\tau^2)\tfrac p{n-p-1};\\
   p\ge n+2:\quad&\text{bias}=\tau^2+(1-\tfrac np)^2\omega^2,&&
   \text{variance}=\tfrac np(1-\tfrac np)\omega^2+(\sigma^2+\tau^2)\tfrac n{p-n-1}:\end{aligned}

what is omitted acts as noise. The bias falls until p = n and then has a second part; the variance
has its peak, without a finite mean, at p = n - 1, n, n + 1.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2, Figure 13.2; Dar, Muthukumar and
    Baraniuk (2021), "A farewell to the bias-variance tradeoff?"; Belkin, Hsu and Xu (2020), "Two
    models of double descent for weak features".
:kind: experiment
:uses: min_norm_risk, ols_variance
:covers: bias-variance-figure-d128-n32
"""

from dataclasses import replace
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Sample, Suppose, Trial, normal, option, within_interval
from corollary.core.picture import Curve, Figure, Level, Points
from corollary.core.witness import near
from corollary.data.planted import Planted, planted
from corollary.theory.double_descent.bias_variance import BiasVariance, decomposed, min_norm
from corollary.theory.double_descent.gaussian_design import GaussianRisk, weak_feature_risk


class Given(NamedTuple):
    """The rule, and the covariance of the coordinates."""

    w_star: Float[Tensor, " d"]
    Sigma: Float[Tensor, "d d"]


class WeakFeatures(Claim[Given]):
    d: int = option(128, low=40, high=512)  # coordinates
    n: int = option(32, low=16, high=128)  # training points
    sigma: float = option(0.5, low=0.0, high=2.0)  # standard deviation of the noise
    draws: int = option(600, low=100, high=10_000)  # training sets

    relation = within_interval(level=0.999999, resolution=0.5)  # chance: one seed in a million
    supposes = Suppose(
        "the coordinates are uncorrelated, of variance 1",
        lambda g: near(g.Sigma, torch.eye(len(g.Sigma))),
        "If coordinates are correlated, the used ones partly replace the omitted ones.",
        Sigma=lambda g: 0.5 * g.Sigma + 0.5,
    )
    symbols = "closed form", "mean over training sets"

    def given(self, rng: Generator) -> Given:
        w = normal(rng, self.d) * torch.arange(1, self.d + 1, dtype=torch.float64) ** -0.5
        return Given(w / w.norm(), torch.eye(self.d, dtype=torch.float64))

    def predict(self, given: Given) -> list[float]:
        parts = [self._exact(given, p) for p in self._sizes()]
        return [part.bias for part in parts] + [part.variance for part in parts]

    def measure(self, given: Given, rng: Generator) -> Kept:
        """From pairs of independent estimates, away from the threshold.

        For independent copies the mean of (w₁ - w*)·(w₂ - w*) is the bias, and that of
        |w₁ - w₂|²/2 the variance.
        """
        data = planted(
            self.n,
            self.d,
            Sigma=given.Sigma,
            w_star=given.w_star,
            sigma=self.sigma,
            reps=self.draws // 2 * 2,
            rng=rng,
        )
        bias, variance = [], []
        for p in self._sizes():
            one, other = (_estimates(data, p) - given.w_star).chunk(2)
            bias.append(Sample(((one @ given.Sigma) * other).sum(dim=1)))
            gap = one - other
            variance.append(Sample(((gap @ given.Sigma) * gap).sum(dim=1) / 2))
        return Kept(bias + variance, parts={p: _parts(data, p) for p in self._shown()})

    def figure(self, trial: Trial[Given]) -> tuple[Figure, Figure]:
        sides = {"<": range(1, self.n - 1), ">": range(self.n + 2, self.d + 1)}

        def drawn(name: str, title: str) -> Figure:
            curves = [
                Curve(
                    [getattr(self._exact(trial.given, p), name) for p in side],
                    side,
                    label=f"{name}, p {sign} n",
                    role="predicted",
                    dashed=sign == ">",
                )
                for sign, side in sides.items()
            ]
            found = {p: getattr(part, name) for p, part in trial.kept.parts.items()}
            kept = {p: v for p, v in found.items() if v > 1e-3}  # a mean near 0 may be negative
            dots = Points(list(kept), list(kept.values()), label="60 training sets")
            line = Level(self.n, label="p = n", role="other", axis="x")
            return Figure(title, x="p", y=name, log_y=True, marks=(*curves, dots, line))

        first = drawn("bias", "The bias falls, then has a second part")
        return first, drawn("variance", "The variance has a peak at p = n")

    def _exact(self, given: Given, p: int) -> GaussianRisk:
        return weak_feature_risk(self.n, p, given.w_star, self.sigma**2)

    def _sizes(self) -> list[int]:
        n, d = self.n, self.d
        return sorted({n // 4, n // 2, (2 * n) // 3, (4 * n) // 3, (3 * n) // 2, 2 * n, d})

    def _shown(self) -> list[int]:
        return sorted({1, *self._sizes(), *range(self.n - 4, self.n + 5, 2), self.d})


def _estimates(data: Planted, p: int) -> Float[Tensor, "r d"]:
    """Least squares on the first p coordinates; the others get weight 0."""
    w = min_norm(data.phi[..., :p].contiguous(), data.y)
    return torch.cat([w, w.new_zeros(len(w), len(data.w_star) - p)], dim=1)


def _parts(data: Planted, p: int) -> BiasVariance:
    """Bias and variance of the first 60 training sets."""
    few = replace(data, phi=data.phi[:60], y=data.y[:60])
    return decomposed(_estimates(few, p), data.w_star, data.Sigma)
