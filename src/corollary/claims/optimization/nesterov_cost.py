r"""Acceleration costs the root of the condition number.

On a quadratic with curvatures between :math:`\mu` and :math:`L=\kappa\mu`, Nesterov's method with
:math:`\beta=\frac{\sqrt\kappa-1}{\sqrt\kappa+1}` lowers the gap by a given factor in

.. math:: T\propto\sqrt\kappa

steps; gradient descent, which is the same method with :math:`\beta=0`, needs
:math:`T\propto\kappa`.

:source: Perez Jensen (2025), Deep Learning, Section 3.3; Nesterov (2004), "Introductory lectures on
    convex optimization", Section 2.2.
:kind: rate
:cost: instant
:covers: nesterov-acceleration
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Series,
    loglog_fit,
    option,
    slope,
)
from corollary.errors import InputError
from corollary.theory.optimization.methods.nesterov import Nesterov, nesterov_momentum


class Given(NamedTuple):
    """Coordinates of the start, and the momentum used at each condition number."""

    x0: Float[Tensor, " d"]
    beta: tuple[float, ...]


class NesterovCost(Claim[Given]):
    kappas: tuple[int, ...] = option((64, 128, 256, 512, 1024), low=16, high=10_000)  # κ
    d: int = option(30, low=2)  # dimension
    factor: float = option(1e-3, low=1e-12, high=0.1)  # by which the gap is lowered
    relation = slope(gap=0.1)  # the constant in front still settles at these sizes

    def given(self, rng: Generator) -> Given:
        """A start that has the same share of the gap in each coordinate, up to chance."""
        x0 = 1 + 0.1 * torch.randn(self.d, generator=rng, dtype=torch.float64)
        return Given(x0, tuple(nesterov_momentum(float(k)) for k in self.kappas))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The momentum fits the condition number."""
        best = [nesterov_momentum(float(k)) for k in self.kappas]
        fits = all(abs(a - b) < 1e-9 for a, b in zip(best, given.beta, strict=True))
        yield Hypothesis("the momentum is (√κ − 1)/(√κ + 1)", fits)

    def predict(self, given: Given) -> float:
        """One half."""
        return 0.5

    def measure(self, given: Given) -> Series:
        """Steps until the gap is small."""
        pairs = zip(self.kappas, given.beta, strict=True)
        return Series(self.kappas, [self._steps(given.x0, k, beta) for k, beta in pairs])

    def counterexample(self, rng: Generator) -> Given:
        """Without momentum."""
        return self.given(rng)._replace(beta=(0.0,) * len(self.kappas))

    def figure(self, given: Given) -> Figure:
        """Both methods on logarithmic scales."""
        found = self.measure(given)
        plain = self.measure(given._replace(beta=(0.0,) * len(self.kappas)))
        fit = loglog_fit(found.sizes, found.values)
        return Figure(
            f"Steps grow like κ to the {fit.slope:.2f}",
            x="κ",
            y="T",
            log_x=True,
            log_y=True,
            marks=(
                Curve(
                    [found.values[-1] * (k / self.kappas[-1]) ** 0.5 for k in self.kappas],
                    self.kappas,
                    "√κ, through the last point",
                    "predicted",
                ),
                Points(found.sizes, found.values, "Nesterov"),
                Points(plain.sizes, plain.values, "gradient descent", "other"),
            ),
        )

    def _steps(self, start: Tensor, kappa: int, beta: float, most: int = 200_000) -> int:
        values = torch.logspace(0, 1, len(start), base=float(kappa), dtype=torch.float64)
        method, x = Nesterov(1 / kappa, beta), start / values.sqrt()
        memory, goal = method.init(x), self.factor * float(start.square().sum())
        for t in range(most):
            if float((values * x.square()).sum()) <= goal:
                return max(t, 1)
            x, memory = method.step(x, lambda x: values * x, memory)
        raise InputError(f"{most} steps were not enough for kappa = {kappa}")
