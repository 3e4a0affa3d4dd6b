r"""Variance of ordinary least squares.

For :math:`p\le n-2` normal features with any covariance, planted labels and noise of variance
:math:`\sigma^2`, ordinary least squares has no bias, and its variance is

.. math:: \frac{\sigma^2}n\,\mathbb E\operatorname{tr}\bigl(\Sigma\bar\Sigma^{-1}\bigr)
   =\sigma^2\frac p{n-p-1},\qquad\bar\Sigma=\tfrac1n\Phi^\top\Phi :

it grows without bound as p comes near n.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2, Theorem 81; Breiman and Freedman
    (1983), "How many variables should be entered in a regression equation?".
:kind: identity
:cost: instant
:covers: ols-variance-trace
:erratum: [missing hypothesis] Theorem 81 inverts Phi^T Phi without saying that p <= n is needed,
    although the figure discussed next runs to p > n. For n = 10, p = 40 the formula gives -1.29,
    and the shortest solution has variance 0.345: the counterexample. [typo] Its proof calls the
    computed quantity E ||E w_bar - w_*||^2, the bias, which is 0; it is E ||w_bar - E w_bar||^2.
    [notation] Phi is drawn with phi(x_i) as columns but typed n x p.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, option, within_interval
from corollary.data.planted import planted
from corollary.theory.double_descent.bias_variance import min_norm
from corollary.theory.double_descent.gaussian_design import gaussian_ols_variance
from corollary.theory.double_descent.risk import excess_risk


class Given(NamedTuple):
    """Sizes, covariance, and the seed of the training sets."""

    n: int
    p: int
    Sigma: Float[Tensor, "p p"]
    seed: int


@dataclass(frozen=True)
class OlsVariance(Claim[Given]):
    """Excess risk of least squares, in units of the noise."""

    n: int = option(40, low=10, high=200)  # training points
    p: int = option(10, low=1, high=190)  # features
    sigma: float = option(1.0, low=0.1, high=10.0)  # standard deviation of the noise
    draws: int = option(4000, low=1000, high=100_000)  # training sets
    relation = within_interval(level=0.999999, resolution=0.05)  # chance: one seed in a million

    def given(self, rng: Generator) -> Given:
        """A covariance with eigenvalues between 0.1 and 10."""
        basis = torch.linalg.qr(torch.randn(self.p, self.p, generator=rng, dtype=torch.float64)).Q
        spectrum = torch.logspace(-1, 1, self.p, dtype=torch.float64)
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(self.n, self.p, (basis * spectrum) @ basis.T, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Few enough features."""
        yield Hypothesis(
            "there are two points more than features", given.p <= given.n - 2,
            f"n = {given.n}, p = {given.p}",
        )  # fmt: skip

    def predict(self, given: Given) -> float:
        """The closed form, as printed."""
        return given.p / (given.n - given.p - 1)

    def measure(self, given: Given) -> Sample:
        """Excess risks over the variance of the noise."""
        return Sample(self._risks(given))

    def counterexample(self, rng: Generator) -> Given:
        """More features than points."""
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(self.n, 4 * self.n, torch.eye(4 * self.n, dtype=torch.float64), seed)

    def figure(self, given: Given) -> Figure:
        """The variance as p comes near n."""
        ps = [max(1, round(s * self.n)) for s in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)]
        reads = []
        for p in ps:
            other = given._replace(p=p, Sigma=torch.eye(p, dtype=torch.float64))
            reads.append(Sample(self._risks(other, draws=300)).read(0.99))
        smooth = list(range(1, self.n - 1))
        exact = [gaussian_ols_variance(self.n, p) for p in smooth]
        return Figure(
            "Variance of ordinary least squares",
            x="p",
            y="variance / σ²",
            log_y=True,
            marks=(
                Curve(exact, smooth, label="p/(n − p − 1)", role="predicted"),
                Points(
                    ps,
                    [r.value for r in reads],
                    low=[r.low for r in reads],
                    high=[r.high for r in reads],
                    label="mean of 300 training sets, 99 %",
                ),
            ),
        )

    def _risks(self, given: Given, draws: int | None = None) -> Tensor:
        rng = torch.Generator().manual_seed(given.seed)
        reps = draws or (self.draws if given.p <= given.n else 200)
        zero = torch.zeros(given.p, dtype=torch.float64)  # least squares does not see w*
        data = planted(
            given.n, given.p, Sigma=given.Sigma, w_star=zero, sigma=self.sigma, reps=reps, rng=rng
        )
        return excess_risk(min_norm(data.phi, data.y), zero, given.Sigma) / self.sigma**2
