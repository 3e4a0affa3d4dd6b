r"""Variance of ordinary least squares.

For :math:`p\le n-2` normal features with any covariance, planted labels and noise of variance
:math:`\sigma^2`, ordinary least squares has no bias, and its variance is

.. math:: \frac{\sigma^2}n\,\mathbb E\operatorname{tr}\bigl(\Sigma\bar\Sigma^{-1}\bigr)
   =\sigma^2\frac p{n-p-1},\qquad\bar\Sigma=\tfrac1n\Phi^\top\Phi :

it grows without bound as p comes near n.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2, Theorem 81; Breiman and Freedman
    (1983), "How many variables should be entered in a regression equation?".
:kind: identity
:uses: normal_equations, excess_risk
:covers: ols-variance-trace
:erratum: [missing hypothesis] Theorem 81 inverts Phi^T Phi without saying that p <= n is needed,
    although the figure discussed next runs to p > n. For n = 10, p = 40 the formula gives -1.29,
    and the shortest solution has variance 0.345: the counterexample. [typo] Its proof calls the
    computed quantity E ||E w_bar - w_*||^2, the bias, which is 0; it is E ||w_bar - E w_bar||^2.
    [notation] Phi is drawn with phi(x_i) as columns but typed n x p.
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Sample, Suppose, Sweep, normal, option, within_interval
from corollary.data.planted import planted
from corollary.theory.double_descent.bias_variance import min_norm
from corollary.theory.double_descent.gaussian_design import gaussian_ols_variance
from corollary.theory.double_descent.risk import excess_risk


class Given(NamedTuple):
    n: int  # training points
    Sigma: Float[Tensor, "p p"]  # covariance of the features
    draws: int  # training sets


class OlsVariance(Claim[Given]):
    n: int = option(40, low=10, high=200)  # training points
    p: int = option(10, low=1, high=190)  # features
    sigma: float = option(1.0, low=0.1, high=10.0)  # standard deviation of the noise
    draws: int = option(4000, low=1000, high=100_000)  # training sets

    relation = within_interval(level=0.999999, resolution=0.05)  # chance: one seed in a million
    supposes = Suppose(
        "there are two points more than features",
        lambda g: (len(g.Sigma) <= g.n - 2, f"n = {g.n}, p = {len(g.Sigma)}"),
        "With more features than points the formula is negative, and no variance is.",
        Sigma=lambda g: torch.eye(4 * g.n, dtype=torch.float64),
        draws=200,
    )
    symbols = "p / (n − p − 1)", "variance / σ²"
    shows = Sweep(
        "Variance of ordinary least squares",
        "p",
        (2, 4, 8, 12, 16, 20, 24, 28, 32),
        x="features p",
        log="y",
    )

    def given(self, rng: Generator) -> Given:
        basis = torch.linalg.qr(normal(rng, self.p, self.p)).Q
        spectrum = torch.logspace(-1, 1, self.p, dtype=torch.float64)
        return Given(self.n, (basis * spectrum) @ basis.T, self.draws)

    def predict(self, given: Given) -> float:
        p = len(given.Sigma)
        return gaussian_ols_variance(given.n, p) if p <= given.n - 2 else p / (given.n - p - 1)

    def measure(self, given: Given, rng: Generator) -> Sample:
        n, Sigma, draws = given
        zero = torch.zeros(len(Sigma), dtype=torch.float64)  # least squares does not see w*
        rule: dict[str, Any] = {"Sigma": Sigma, "w_star": zero, "sigma": self.sigma}
        data = planted(n, len(Sigma), **rule, reps=draws, rng=rng)
        return Sample(excess_risk(min_norm(data.phi, data.y), zero, Sigma) / self.sigma**2)
