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
:cost: instant
:covers: bias-variance-figure-d128-n32
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
from corollary.data.planted import Planted, planted
from corollary.theory.double_descent.bias_variance import BiasVariance, decomposed, min_norm
from corollary.theory.double_descent.gaussian_design import weak_feature_risk


class Given(NamedTuple):
    """The rule, how coordinates are correlated, and the seed of the training sets."""

    w_star: Float[Tensor, " d"]
    rho: float  # correlation of any two coordinates
    seed: int


@dataclass(frozen=True)
class WeakFeatures(Claim[Given]):
    """Excess risk against the number of features, in units of the predicted one."""

    d: int = option(128, low=40, high=512)  # coordinates
    n: int = option(32, low=16, high=128)  # training points
    sigma: float = option(0.5, low=0.0, high=2.0)  # standard deviation of the noise
    draws: int = option(320, low=100, high=10_000)  # training sets
    relation = within_interval(level=0.999999, resolution=0.4)  # chance: one seed in a million

    def given(self, rng: Generator) -> Given:
        """A rule of length 1 whose weights fall off slowly."""
        w = torch.randn(self.d, generator=rng, dtype=torch.float64)
        w = w * torch.arange(1, self.d + 1, dtype=torch.float64) ** -0.5
        return Given(w / w.norm(), 0.0, int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """What makes the omitted coordinates noise."""
        yield Hypothesis("the coordinates are independent", given.rho == 0)

    def predict(self, given: Given) -> list[float]:
        """Ratios of one."""
        return [1.0] * len(self._sizes())

    def measure(self, given: Given) -> list[Sample]:
        """Excess risks over their predicted means, away from the threshold."""
        data, out = self._data(given, self.draws), []
        for p in self._sizes():
            exact = weak_feature_risk(self.n, p, given.w_star, self.sigma**2).total
            out.append(Sample(_parts(data, p).excess / exact))
        return out

    def counterexample(self, rng: Generator) -> Given:
        """Correlated coordinates: those that are seen stand in for the omitted ones."""
        return self.given(rng)._replace(rho=0.5)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Bias and variance, closed form and measured."""
        data = self._data(given, 60)
        near = [self.n - 4, self.n - 2, self.n, self.n + 2, self.n + 4]
        shown = sorted({1, *self._sizes(), *near, self.d})
        parts = [_parts(data, p) for p in shown]
        smooth = [p for p in range(1, self.d + 1) if abs(p - self.n) > 1]
        exact = [weak_feature_risk(self.n, p, given.w_star, self.sigma**2) for p in smooth]
        left = [i for i, p in enumerate(smooth) if p < self.n]
        right = [i for i, p in enumerate(smooth) if p > self.n]

        def drawn(name: str, letter: str) -> Figure:
            curves = [
                Curve(
                    [getattr(exact[i], name) for i in side], [smooth[i] for i in side],
                    label=f"{name}, p {sign} n", role="predicted", dashed=sign == ">",
                )
                for side, sign in ((left, "<"), (right, ">"))
            ]  # fmt: skip
            found = [(p, getattr(b, name)) for p, b in zip(shown, parts, strict=True)]
            kept = [(p, v) for p, v in found if v > 1e-3]  # a mean near 0 may come out negative
            dots = Points([p for p, _ in kept], [v for _, v in kept], label="60 training sets")
            return Figure(
                letter, x="p", y=name, log_y=True, marks=(
                    *curves, dots, Level(self.n, label="p = n", role="other", axis="x"),
                ),
            )  # fmt: skip

        first = drawn("bias", "The bias falls, then has a second part")
        return first, drawn("variance", "The variance has a peak at p = n")

    def _sizes(self) -> list[int]:
        n, d = self.n, self.d
        return sorted({n // 4, n // 2, (3 * n) // 4, (5 * n) // 4, (3 * n) // 2, 2 * n, d})

    def _data(self, given: Given, draws: int) -> Planted:
        eye = torch.eye(self.d, dtype=torch.float64)
        Sigma = (1 - given.rho) * eye + given.rho if given.rho else None
        return planted(
            self.n, self.d, Sigma=Sigma, w_star=given.w_star, sigma=self.sigma, reps=draws,
            rng=torch.Generator().manual_seed(given.seed),
        )  # fmt: skip


def _parts(data: Planted, p: int) -> BiasVariance:
    """Bias and variance of least squares on the first p coordinates; the others get weight 0."""
    w = min_norm(data.phi[..., :p].contiguous(), data.y)
    omitted = w.new_zeros(len(w), len(data.w_star) - p)
    return decomposed(torch.cat([w, omitted], dim=1), data.w_star, data.Sigma)
