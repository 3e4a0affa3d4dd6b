r"""Risk of the minimum-norm interpolator.

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
:uses: bias_variance, shortest_interpolator
:covers: min-norm-overparametrized-risk
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Sample, Suppose, Trial, generator, normal, option, within_interval
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.core.witness import near
from corollary.data.planted import Planted, planted
from corollary.theory.double_descent.bias_variance import min_norm
from corollary.theory.double_descent.gaussian_design import min_norm_risk
from corollary.theory.double_descent.risk import excess_risk


class Given(NamedTuple):
    """The rule and the covariance of the features."""

    w_star: Float[Tensor, " p"]
    Sigma: Float[Tensor, "p p"]


class MinNormRisk(Claim[Given]):
    n: int = option(10, low=2, high=100)  # training points
    p: int = option(40, low=6, high=400)  # parameters
    norm: float = option(2.0, low=0.1, high=10.0)  # length of w*
    sigma: float = option(1.0, low=0.0, high=10.0)  # standard deviation of the noise
    draws: int = option(3000, low=1000, high=100_000)  # training sets

    relation = within_interval(level=0.999999, resolution=0.2)  # chance: one seed in a million
    supposes = (
        Suppose(
            "there are two parameters more than points",
            lambda self, given: len(given.w_star) - self.n - 1,
        ),
        Suppose(
            "the features are uncorrelated, of variance 1",
            lambda g: near(g.Sigma, torch.eye(len(g.Sigma))),
            "A few strong features among many weak ones are learned first.",
            Sigma=lambda g: torch.diag(10.0 ** (1 - 2 * (torch.arange(len(g.Sigma)) > 4).double())),
        ),
    )
    symbols = "closed form", "mean over training sets"
    rows = "bias / ‖w*‖²", "risk without noise / ‖w*‖²", "risk caused by the noise"

    def given(self, rng: Generator) -> Given:
        w = normal(rng, self.p)
        return Given(self.norm * w / w.norm(), torch.eye(self.p, dtype=torch.float64))

    def predict(self, given: Given) -> list[float]:
        norm2 = float(given.w_star.square().sum())
        parts = min_norm_risk(self.n, len(given.w_star), norm2, self.sigma**2)
        return [parts.bias / norm2, parts.without_noise / norm2, parts.noise]

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        """The same from training sets; the bias from pairs of independent estimates.

        For independent copies the mean of (w₁ - w*)·(w₂ - w*) is the squared length of the bias.
        """
        data = self._data(given, self.draws // 2 * 2, rng)
        clean = min_norm(data.phi, data.phi @ given.w_star)
        fitted = min_norm(data.phi, data.y)
        norm2 = float(given.w_star.square().sum())
        one, other = (fitted - given.w_star).chunk(2)
        bias = ((one @ given.Sigma) * other).sum(dim=1) / norm2
        left = excess_risk(clean, given.w_star, given.Sigma) / norm2
        noise = excess_risk(fitted - clean, 0 * given.w_star, given.Sigma)
        return [Sample(bias), Sample(left), Sample(noise)]

    @picture("The risk falls on both sides away from p = n", x="p", y="excess risk", log="xy")
    def marks(self, trial: Trial[Given]) -> Marks:
        n, norm2 = self.n, float(trial.given.w_star.square().sum())
        left, right = range(1, n - 1), range(n + 2, 8 * n + 1)
        shown = [max(1, n // 4), n // 2, (3 * n) // 4, n + 3, 2 * n, 3 * n, 4 * n, 8 * n]
        reads, rng = [], generator(0, "both sides")
        for p in shown:
            w = torch.full((p,), (norm2 / p) ** 0.5, dtype=torch.float64)
            data = self._data(Given(w, torch.eye(p, dtype=torch.float64)), 200, rng)
            reads.append(Sample(data.risk(min_norm(data.phi, data.y)) - data.bayes_risk).read(0.99))
        value, high = [r.value for r in reads], [r.high for r in reads]
        low = [max(r.low, 1e-3) for r in reads]
        law = {p: min_norm_risk(n, p, norm2, self.sigma**2).total for p in (*left, *right)}
        beyond = "(1 − n/p)‖w*‖² + σ²n/(p − n − 1)"
        yield Curve([law[p] for p in left], left, label="σ²p/(n − p − 1)", role="predicted")
        yield Curve([law[p] for p in right], right, beyond, role="predicted", dashed=True)
        yield Points(shown, value, low=low, high=high, label="mean of 200 training sets, 99 %")

    def _data(self, given: Given, draws: int, rng: Generator) -> Planted:
        rule: dict[str, Any] = {"Sigma": given.Sigma, "w_star": given.w_star, "sigma": self.sigma}
        return planted(self.n, len(given.w_star), **rule, reps=draws, rng=rng)
