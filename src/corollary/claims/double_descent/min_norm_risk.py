r"""Risk of the shortest interpolator.

For :math:`p\ge n+2` standard normal features and planted labels, the shortest solution
:math:`\bar w=\Phi^+y` has

.. math:: \text{bias}=\Bigl(1-\frac np\Bigr)^2\|w_*\|^2,\qquad
   \text{variance}=\frac np\Bigl(1-\frac np\Bigr)\|w_*\|^2+\sigma^2\frac n{p-n-1} .

The first variance is that of the row space, of which the estimator sees nothing else; with the bias
it is :math:`(1-n/p)\|w_*\|^2`, the risk without noise. The second falls as p grows: right of the
threshold more parameters help.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2, Figure 13.2, where it is drawn;
    Belkin, Hsu and Xu (2020), "Two models of double descent for weak features", Theorem 1.
:kind: identity
:cost: instant
:covers: min-norm-overparametrized-risk
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, option, within_interval
from corollary.data.planted import Planted, planted
from corollary.theory.double_descent.bias_variance import min_norm
from corollary.theory.double_descent.gaussian_design import min_norm_risk
from corollary.theory.double_descent.risk import excess_risk


class Given(NamedTuple):
    """The rule, the covariance and the seed of the training sets."""

    w_star: Float[Tensor, " p"]
    Sigma: Float[Tensor, "p p"]
    seed: int


@dataclass(frozen=True)
class MinNormRisk(Claim[Given]):
    """Three parts of the risk."""

    n: int = option(10, low=2, high=100)  # training points
    p: int = option(40, low=6, high=400)  # parameters
    norm: float = option(2.0, low=0.1, high=10.0)  # length of w*
    sigma: float = option(1.0, low=0.0, high=10.0)  # standard deviation of the noise
    draws: int = option(3000, low=1000, high=100_000)  # training sets
    relation = within_interval(level=0.999999, resolution=0.2)  # chance: one seed in a million

    def given(self, rng: Generator) -> Given:
        """A random rule."""
        w = torch.randn(self.p, generator=rng, dtype=torch.float64)
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(self.norm * w / w.norm(), torch.eye(self.p, dtype=torch.float64), seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Sizes and covariance."""
        p = len(given.w_star)
        yield Hypothesis("there are two parameters more than points", p >= self.n + 2)
        off = float((given.Sigma - torch.eye(p, dtype=torch.float64)).abs().max())
        yield Hypothesis("the features are standard normal", off == 0, f"Σ − I up to {off:.2g}")

    def predict(self, given: Given) -> list[float]:
        """Bias, risk without noise (both over the squared length of w*), risk of the noise."""
        norm2 = float(given.w_star.square().sum())
        parts = min_norm_risk(self.n, len(given.w_star), norm2, self.sigma**2)
        return [parts.bias / norm2, parts.without_noise / norm2, parts.noise]

    def measure(self, given: Given) -> list[Sample]:
        """The same from training sets; the bias from pairs of independent estimates.

        For independent copies the mean of (w₁ - w*)·(w₂ - w*) is the squared length of the bias.
        """
        data = self._data(given)
        clean = min_norm(data.phi, data.phi @ given.w_star)
        fitted = min_norm(data.phi, data.y)
        norm2 = float(given.w_star.square().sum())
        off = fitted - given.w_star
        half = len(off) // 2
        pairs = ((off[:half] @ given.Sigma) * off[half : 2 * half]).sum(dim=1) / norm2
        left = excess_risk(clean, given.w_star, given.Sigma) / norm2
        zero = torch.zeros_like(given.w_star)
        return [Sample(pairs), Sample(left), Sample(excess_risk(fitted - clean, zero, given.Sigma))]

    def counterexample(self, rng: Generator) -> Given:
        """A few strong features among many weak ones."""
        given = self.given(rng)
        spectrum = torch.where(torch.arange(self.p) < self.n // 2, 10.0, 0.1)
        return given._replace(Sigma=torch.diag(spectrum.double()))

    def figure(self, given: Given) -> Figure:
        """Both sides of the threshold."""
        n, norm2, noise = self.n, float(given.w_star.square().sum()), self.sigma**2
        left, right = list(range(1, n - 1)), list(range(n + 2, 8 * n + 1))
        shown = [max(1, n // 4), n // 2, (3 * n) // 4, n + 3, 2 * n, 3 * n, 4 * n, 8 * n]
        reads = []
        for p in shown:
            w = torch.full((p,), (norm2 / p) ** 0.5, dtype=torch.float64)
            other = Given(w, torch.eye(p, dtype=torch.float64), given.seed)
            data = self._data(other, draws=200)
            risks = excess_risk(min_norm(data.phi, data.y), w, other.Sigma)
            reads.append(Sample(risks).read(0.99))
        exact = [[min_norm_risk(n, p, norm2, noise).total for p in side] for side in (left, right)]
        return Figure(
            "The risk falls on both sides away from p = n",
            x="p",
            y="excess risk",
            log_x=True,
            log_y=True,
            marks=(
                Curve(exact[0], left, label="σ²p/(n − p − 1)", role="predicted"),
                Curve(
                    exact[1], right, label="(1 − n/p)‖w*‖² + σ²n/(p − n − 1)", role="predicted",
                    dashed=True,
                ),
                Points(
                    shown,
                    [r.value for r in reads],
                    low=[max(r.low, 1e-3) for r in reads],
                    high=[r.high for r in reads],
                    label="mean of 200 training sets, 99 %",
                ),
            ),
        )  # fmt: skip

    def _data(self, given: Given, draws: int | None = None) -> Planted:
        return planted(
            self.n, len(given.w_star), Sigma=given.Sigma, w_star=given.w_star, sigma=self.sigma,
            reps=draws or self.draws, rng=torch.Generator().manual_seed(given.seed),
        )  # fmt: skip
