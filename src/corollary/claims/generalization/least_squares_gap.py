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
:cost: instant
:covers: generalization-gap
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
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
    Level,
    Sample,
    option,
    within_interval,
)


class Given(NamedTuple):
    """Repeated samples, the true coefficients, and those that are judged."""

    x: Float[Tensor, "t n d"]
    y: Float[Tensor, "t n"]
    truth: Float[Tensor, " d"]
    fixed: Float[Tensor, " d"] | None  # judged in place of the fitted ones
    sigma: float

    def errors(self) -> tuple[Float[Tensor, " t"], Float[Tensor, " t"]]:
        """Mean squared error on each sample, and the exact expected one."""
        if self.fixed is None:
            x = self.x
            w = torch.linalg.solve(x.mT @ x, x.mT @ self.y[..., None])[..., 0]
        else:
            w = self.fixed.expand(len(self.x), -1)
        inside = ((self.x @ w[..., None])[..., 0] - self.y).square().mean(dim=1)
        return inside, self.sigma**2 + (w - self.truth).square().sum(dim=1)


@dataclass(frozen=True)
class LeastSquaresGap(Claim[Given]):
    """Training error less expected error, over samples."""

    n: int = option(40, low=5, high=200)  # points in a sample
    d: int = option(8, low=1, high=40)  # coefficients
    sigma: float = option(1.0, low=0.1, high=3.0)  # standard deviation of the noise
    trials: int = option(3000, low=500, high=10000)  # samples
    relation = within_interval(level=0.999, resolution=0.05)  # 3000 samples know the mean to 0.03

    def given(self, rng: Generator) -> Given:
        """Gaussian designs and noise."""
        truth = torch.randn(self.d, generator=rng, dtype=torch.float64)
        x = torch.randn(self.trials, self.n, self.d, generator=rng, dtype=torch.float64)
        noise = torch.randn(self.trials, self.n, generator=rng, dtype=torch.float64)
        return Given(x, x @ truth + self.sigma * noise, truth, None, self.sigma)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """More points than coefficients, and a fit on the same points."""
        _, n, d = given.x.shape
        yield Hypothesis("there are more than d + 1 points", n > d + 1, f"n = {n}, d = {d}")
        yield Hypothesis("the coefficients were fitted on the sample", given.fixed is None)

    def predict(self, given: Given) -> float:
        """The formula."""
        _, n, d = given.x.shape
        if n <= d + 1:
            return -math.inf
        return -(given.sigma**2) * (d / n + d / (n - d - 1))

    def measure(self, given: Given) -> Sample:
        """The gap of each sample."""
        inside, outside = given.errors()
        return Sample(inside - outside)

    def counterexample(self, rng: Generator) -> Given:
        """Coefficients written down before the sample."""
        given = self.given(rng)
        return given._replace(fixed=given.truth)

    def figure(self, given: Given) -> Figure:
        """Both errors over the number of points."""
        _, n, d = given.x.shape
        sizes = sorted({k for k in (d + 2, d + 4, 2 * d, 3 * d, 4 * d, n) if d + 1 < k <= n})
        short = [given._replace(x=given.x[:400, :k], y=given.y[:400, :k]).errors() for k in sizes]
        curve = [d + 2 + (n - d - 2) * i / 80 for i in range(81)]
        s2 = given.sigma**2
        marks = []
        for i, (name, role) in enumerate([("on the sample", "measured"), ("expected", "other")]):
            found = [pair[i] for pair in short]
            marks += [
                Curve([float(e.mean()) for e in found], sizes, label=name, role=role),
                Band(
                    sizes,
                    [float(e.quantile(0.1)) for e in found],
                    [float(e.quantile(0.9)) for e in found],
                    label=f"{name}, middle 80 %",
                    role=role,
                ),
            ]
        return Figure(
            f"Two errors of one fit with d = {d} coefficients",
            x="n",
            y="mean squared error",
            log_y=True,
            marks=(
                *marks,
                Curve([s2 * (1 - d / k) for k in curve], curve, "σ²(1 − d/n)", "predicted", True),
                Curve(
                    [s2 * (1 + d / (k - d - 1)) for k in curve],
                    curve,
                    "σ²(1 + d/(n−d−1))",
                    "predicted",
                    True,
                ),
                Level(s2, label="σ², the noise", role="other"),
            ),
        )
