r"""Nesterov's accelerated rate.

For an L-smooth, :math:`\mu`-strongly convex h with :math:`\kappa=L/\mu`, the method
:math:`\chi^{t+1}=\theta^t+\beta(\theta^t-\theta^{t-1})`,
:math:`\theta^{t+1}=\chi^{t+1}-\eta\nabla h(\chi^{t+1})` with :math:`\eta=1/L` and
:math:`\beta=\frac{\sqrt\kappa-1}{\sqrt\kappa+1}` has

.. math:: h(\theta^t)-h^*\le\Bigl(1-\frac1{\sqrt\kappa}\Bigr)^t
   \Bigl(h(\theta^0)-h^*+\frac\mu2\|\theta^0-\theta^*\|^2\Bigr) .

:source: Perez Jensen (2025), Deep Learning, Section 3.3; Nesterov (2004), "Introductory lectures on
    convex optimization", Theorem 2.2.3.
:kind: theorem
:cost: instant
:covers: nesterov-acceleration
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.theory.optimization.methods.heavy_ball import HeavyBall
from corollary.theory.optimization.methods.method import trajectory
from corollary.theory.optimization.methods.nesterov import (
    Nesterov,
    accelerated_rate,
    nesterov_momentum,
)


class Given(NamedTuple):
    """A quadratic by its curvatures, the constants that are claimed for it, and a start."""

    curvatures: Float[Tensor, " d"]
    L: float
    mu: float
    x0: Float[Tensor, " d"]


class NesterovRate(Claim[Given]):
    kappa: float = option(100.0, low=1.5, high=1e6)  # condition number
    d: int = option(20, low=2)  # dimension
    steps: int = option(40, low=1, high=10_000)  # steps
    relation = at_most(ulps=2**10)  # forty steps of rounding

    def given(self, rng: Generator) -> Given:
        """Curvatures from 1 to kappa, spread evenly in their logarithm."""
        values = torch.logspace(0, 1, self.d, base=self.kappa, dtype=torch.float64)
        x0 = torch.randn(self.d, generator=rng, dtype=torch.float64)
        return Given(values, float(self.kappa), 1.0, x0 / values.sqrt())

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The constants are true."""
        low, high = float(given.curvatures.min()), float(given.curvatures.max())
        yield Hypothesis("h is L-smooth", high <= given.L * (1 + 1e-12), f"curvature {high:.3g}")
        strong = low >= given.mu * (1 - 1e-12)
        yield Hypothesis("h is μ-strongly convex", strong, f"curvature {low:.3g}")

    def predict(self, given: Given) -> list[float]:
        """The bound after each step."""
        start = self._gap(given, given.x0) + 0.5 * given.mu * float(given.x0.square().sum())
        kappa = given.L / given.mu
        return [accelerated_rate(kappa, t) * start for t in range(self.steps + 1)]

    def measure(self, given: Given) -> list[float]:
        """The gap after each step."""
        method = Nesterov(1 / given.L, nesterov_momentum(given.L / given.mu))
        return self._gaps(given, method)

    def counterexample(self, rng: Generator) -> Given:
        """Walls four times as steep as is claimed."""
        given = self.given(rng)
        steep = torch.full_like(given.curvatures, 4 * given.L)
        return given._replace(curvatures=steep, x0=torch.ones_like(steep))

    def figure(self, given: Given) -> Figure:
        """Gap, bound, and gradient descent beside them."""
        return Figure(
            f"Acceleration at κ = {given.L / given.mu:g}",
            x="t",
            y="h(θᵗ) − h*",
            log_y=True,
            marks=(
                Curve(self.predict(given), None, "(1 − 1/√κ)ᵗ bound", "predicted"),
                Curve(self.measure(given), None, "Nesterov"),
                Curve(
                    self._gaps(given, HeavyBall(1 / given.L, 0.0)), None, "gradient descent",
                    "other", dashed=True,
                ),
            ),
        )  # fmt: skip

    def _gaps(self, given: Given, method: Nesterov | HeavyBall) -> list[float]:
        path = trajectory(method, lambda x: given.curvatures * x, given.x0, self.steps)
        return (0.5 * given.curvatures * path.square()).sum(dim=-1).tolist()

    def _gap(self, given: Given, x: Tensor) -> float:
        return float((0.5 * given.curvatures * x.square()).sum())
