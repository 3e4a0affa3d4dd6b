r"""Ridge functions are dense.

The span of :math:`\{g(\theta\cdot x):\theta\in\mathbb{R}^n,\ g\in C(\mathbb{R})\}` is dense in
:math:`C(K)` for every compact :math:`K\subset\mathbb{R}^n`: with more and more directions

.. math:: \inf_{g_1,\dots,g_m}\Bigl\|f-\sum_{j=1}^mg_j(\theta_j\cdot x)\Bigr\|_\infty\to0 .

Two directions are not enough, however often they are repeated: sums :math:`g_1(x_1)+g_2(x_2)`
never come close to :math:`x_1x_2`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.4, Theorem 21; Vostrecov and Kreines
    (1961), Approximation of continuous functions by superpositions of plane waves.
:kind: theorem
:cost: instant
:covers: ridge-function-theorem
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, converges, option
from corollary.theory.approximation.grids import box_grid
from corollary.theory.approximation.ridge_sums import ridge_fit

SIZES = (1, 2, 4, 6, 8)


class Given(NamedTuple):
    """Directions in the plane, of which the first m are used, and a phase of the target."""

    theta: Float[Tensor, "8 2"]
    phase: float


@dataclass(frozen=True)
class RidgeDensity(Claim[Given]):
    """The sup error of sums of ridge polynomials over the number of directions."""

    degree: int = option(12, low=4, high=20)  # of the functions along each direction
    relation = converges(gap=0.05)  # eight directions; the target is nearly of degree 8

    def given(self, rng: Generator) -> Given:
        """Eight directions, turned by a drawn angle, in an order that spreads them early."""
        turn, phase = torch.rand(2, generator=rng, dtype=torch.float64).tolist()
        order = torch.tensor([0, 4, 2, 6, 1, 5, 3, 7])
        angle = math.pi * (order.to(torch.float64) + turn) / 8
        return Given(torch.stack([angle.cos(), angle.sin()], 1), phase)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No two directions are parallel."""
        a, b = given.theta[:, None], given.theta[None]
        area = (a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]).abs()
        area = area + torch.eye(len(given.theta), dtype=area.dtype)
        yield Hypothesis("no two directions are parallel", bool(area.min() > 1e-6))

    def predict(self, given: Given) -> float:
        """The limit."""
        return 0.0

    def measure(self, given: Given) -> Series:
        """Sup errors over the number of directions."""
        return Series(SIZES, _errors(given, self.degree))

    def counterexample(self, rng: Generator) -> Given:
        """The two axes, again and again."""
        given = self.given(rng)
        return given._replace(theta=torch.eye(2, dtype=torch.float64).repeat(4, 1))

    def figure(self, given: Given) -> Figure:
        """Drawn directions and repeated axes."""
        axes = given._replace(theta=torch.eye(2, dtype=torch.float64).repeat(4, 1))
        return Figure(
            "More directions, smaller error",
            x="m",
            y="‖f − Σ g(θ·x)‖∞",
            log_y=True,
            marks=(
                Points(SIZES, _errors(given, self.degree), label="different directions"),
                Curve(_errors(axes, self.degree), SIZES, label="only the two axes", role="other"),
            ),
        )


def _errors(given: Given, degree: int) -> list[float]:
    x = box_grid(2, 33, -1.0, 1.0)
    y = torch.sin(2 * x[:, 0] * x[:, 1] + given.phase) + torch.exp(-(x**2).sum(1))
    return [float((ridge_fit(y, given.theta[:m], degree, x) - y).abs().max()) for m in SIZES]
