r"""Long gradient descent equals the closed form.

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
:cost: instant
:covers: gd-approximates-ols
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.data.planted import planted
from corollary.theory.double_descent.bias_variance import min_norm
from corollary.theory.double_descent.descent_path import gd_path
from corollary.theory.double_descent.risk import excess_risk


class Given(NamedTuple):
    """A regression problem, a start and a step size."""

    phi: Float[Tensor, "n p"]
    y: Float[Tensor, " n"]
    w_star: Float[Tensor, " p"]
    w0: Float[Tensor, " p"]
    eta: float


@dataclass(frozen=True)
class DescentPath(Claim[Given]):
    """Excess risks along a run, in closed form and by iteration."""

    n: int = option(30, low=2, high=200)  # training points
    p: int = option(30, low=2, high=400)  # features
    sigma: float = option(0.5, low=0.0, high=5.0)  # standard deviation of the noise
    steps: int = option(3000, low=100, high=100_000)  # of gradient descent
    relation = equals(ulps=2**16)  # rounding of 3000 steps

    def given(self, rng: Generator) -> Given:
        """Normal features, and a step of 1 over the largest curvature."""
        data = planted(self.n, self.p, sigma=self.sigma, rng=rng)
        top = float(torch.linalg.matrix_norm(data.phi, 2)) ** 2 / self.n
        return Given(data.phi, data.y, data.w_star, torch.zeros_like(data.w_star), 1 / top)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Start and step."""
        yield Hypothesis("descent starts at 0", not bool(given.w0.any()))
        top = float(torch.linalg.matrix_norm(given.phi, 2)) ** 2 / len(given.y)
        yield Hypothesis("the step is below 2 over the largest curvature", given.eta * top < 2)

    def predict(self, given: Given) -> list[float]:
        """Excess risks of the closed form."""
        w = gd_path(given.phi, given.y, given.eta, self._times())
        return self._risks(w, given)

    def measure(self, given: Given) -> list[float]:
        """Excess risks of the iterates."""
        phi, y, _, w, eta = given
        path, times = {0: w}, set(self._times())
        for t in range(1, self.steps + 1):
            w = w - eta * (phi.T @ (phi @ w - y)) / len(y)
            if t in times:
                path[t] = w
        return self._risks(torch.stack([path[t] for t in self._times()]), given)

    def counterexample(self, rng: Generator) -> Given:
        """Another start, which the slow directions remember."""
        given = self.given(rng)
        return given._replace(w0=torch.ones_like(given.w_star))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The risk along a run, and the peak with and without stopping early."""
        times = self._times()
        end = excess_risk(min_norm(given.phi, given.y), given.w_star, _eye(given))
        run = Figure(
            "Gradient descent at the interpolation threshold",
            x="t",
            y="excess risk",
            log_x=True,
            log_y=True,
            marks=(
                Curve(self.predict(given), times, label="closed form", role="predicted"),
                Curve(self.measure(given), times, label="iterates", dashed=True),
                Level(float(end), label="its limit Φ⁺y", role="other"),
            ),
        )
        return run, self._peak(given)

    def _peak(self, given: Given) -> Figure:
        ps = [max(1, round(s * self.n)) for s in (0.2, 0.5, 0.8, 0.9, 1.0, 1.1, 1.25, 2, 4)]
        stops = [10, 100, 100_000_000]
        seeds = torch.Generator().manual_seed(int(given.y.abs().sum() * 2**20) % 2**31)
        rows = []
        for p in ps:
            runs = []
            for _ in range(8):
                data = planted(self.n, p, sigma=self.sigma, rng=seeds)
                top = float(torch.linalg.matrix_norm(data.phi, 2)) ** 2 / self.n
                runs.append(data.risk(gd_path(data.phi, data.y, 1 / top, stops)) - data.bayes_risk)
            rows.append(torch.stack(runs).median(dim=0).values)
        risks = torch.stack(rows)
        return Figure(
            "Stopping early removes the peak",
            x="p",
            y="excess risk, median of 8",
            log_x=True,
            log_y=True,
            marks=tuple(
                Curve(risks[:, i], ps, label=name, role=role)
                for i, (name, role) in enumerate(
                    [("t = 10", "measured"), ("t = 100", "measured"), ("t = 10⁸", "other")]
                )
            ),
        )

    def _times(self) -> list[int]:
        return sorted({round(self.steps ** (k / 24)) for k in range(25)})

    def _risks(self, w: Tensor, given: Given) -> list[float]:
        return excess_risk(w, given.w_star, _eye(given)).tolist()


def _eye(given: Given) -> Tensor:
    return torch.eye(len(given.w_star), dtype=torch.float64)
