r"""Gradient descent converges to the minimum-norm least-squares solution.

Gradient descent from 0 on :math:`\frac1{2n}\|\Phi w-y\|^2` with :math:`0<\eta<2/\|\bar\Sigma\|`,
:math:`\bar\Sigma=\Phi^\top\Phi/n`, is after t steps at

.. math:: w_t=\bigl(I-(I-\eta\bar\Sigma)^t\bigr)\bar\Sigma^+\tfrac1n\Phi^\top y
   \;\to\;\Phi^+y ,

ordinary least squares or the shortest interpolator. So a long run has the same double descent; a
short one leaves out the directions of small curvature, which come last and carry the noise, and the
peak disappears. Measured: the excess risk along a run at the threshold, step by step.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2; Yao, Rosasco and Caponnetto
    (2007), "On early stopping in gradient descent learning".
:kind: theorem
:uses: closest_interpolator, excess_risk
:covers: gd-approximates-ols
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, Trial, equals, generator, near, option
from corollary.core.picture import Curve, Marks, picture
from corollary.data.planted import planted
from corollary.theory.double_descent.descent_path import gd_path
from corollary.theory.double_descent.risk import excess_risk


class Given(NamedTuple):
    phi: Float[Tensor, "n p"]  # features
    y: Float[Tensor, " n"]
    w_star: Float[Tensor, " p"]
    w0: Float[Tensor, " p"]
    eta: float  # learning rate

    def top(self) -> float:
        """The largest curvature."""
        return float(torch.linalg.matrix_norm(self.phi, 2)) ** 2 / len(self.y)


class DescentPath(Claim[Given]):
    n: int = option(30, low=2, high=200)  # training points
    p: int = option(30, low=2, high=400)  # features
    sigma: float = option(0.5, low=0.0, high=5.0)  # standard deviation of the noise
    steps: int = option(3000, low=100, high=100_000)  # steps of gradient descent

    relation = equals(ulps=2**16)  # rounding of 3000 steps

    supposes = (
        Suppose(
            "descent starts at 0",
            lambda g: near(g.w0, 0.0),
            "If descent starts elsewhere, the slow directions still depend on the start.",
            w0=lambda g: torch.ones_like(g.w0),
        ),
        Suppose("the step is below 2 / (largest curvature)", lambda g: 2 - g.eta * g.top()),
    )
    symbols = "closed form", "excess risk of the iterates"
    shows = Along("Descent at the interpolation threshold", x="t", at="times", log="xy")

    def given(self, rng: Generator) -> Given:
        data = planted(self.n, self.p, sigma=self.sigma, rng=rng)
        given = Given(data.phi, data.y, data.w_star, torch.zeros_like(data.w_star), 1.0)
        return given._replace(eta=1 / given.top())

    def predict(self, given: Given) -> list[float]:
        w = gd_path(given.phi, given.y, given.eta, self.times)
        return self._risks(w, given)

    def measure(self, given: Given) -> list[float]:
        phi, y, _, w, eta = given
        path, times = {0: w}, set(self.times)
        for t in range(1, self.steps + 1):
            w = w - eta * (phi.T @ (phi @ w - y)) / len(y)
            if t in times:
                path[t] = w
        return self._risks(torch.stack([path[t] for t in self.times]), given)

    @picture("Stopping early removes the peak", x="p", y="excess risk, median of 8", log="xy")
    def marks(self, trial: Trial[Given]) -> Marks:
        ps = [max(1, round(s * self.n)) for s in (0.2, 0.5, 0.8, 0.9, 1.0, 1.1, 1.25, 2, 4)]
        stops, seeds, rows = [10, 100, 100_000_000], generator(0, "peak"), []
        for p in ps:
            runs = []
            for _ in range(8):
                data = planted(self.n, p, sigma=self.sigma, rng=seeds)
                top = float(torch.linalg.matrix_norm(data.phi, 2)) ** 2 / self.n
                runs.append(data.risk(gd_path(data.phi, data.y, 1 / top, stops)) - data.bayes_risk)
            rows.append(torch.stack(runs).median(dim=0).values)
        for risks, stop in zip(torch.stack(rows).T, ("10", "100", "10⁸"), strict=True):
            yield Curve(risks, ps, f"t = {stop}", "other" if stop == "10⁸" else "measured")

    @property
    def times(self) -> list[int]:
        """Steps at which the risk is noted."""
        return sorted({round(self.steps ** (k / 24)) for k in range(25)})

    def _risks(self, w: Tensor, given: Given) -> list[float]:
        Sigma = torch.eye(len(given.w_star), dtype=torch.float64)
        return excess_risk(w, given.w_star, Sigma).tolist()
