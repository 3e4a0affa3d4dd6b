r"""Piecewise-linear functions are dense: the error of interpolation.

The function that is linear between m + 1 equispaced nodes and meets f there has

.. math:: \|f-f_m\|_\infty\le\frac{\|f''\|_\infty}{8m^2}\qquad\text{on }[0,1]

if f is twice continuously differentiable, and :math:`\omega(f,1/m)`, which tends to 0, if f is
only continuous. A kink between the nodes breaks the first bound, whatever :math:`f''` is elsewhere.

:source: Perez Jensen (2025), Deep Learning, Section 2.5, Theorem 2.10; Lebesgue (1898), Sur
    l'approximation des fonctions; de Boor (1978), A practical guide to splines, Chapter III.
:kind: bound
:cost: instant
:covers: piecewise-linear-density
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.models.approximators.relu_sums import interpolation_bound, pl_interpolant

SIZES = (4, 8, 16, 32, 64)
GRID = torch.linspace(0, 1, 8001, dtype=torch.float64)


class Given(NamedTuple):
    """A function on [0, 1] and a bound on its second derivative."""

    f: Callable[[Tensor], Tensor]
    curvature: float


@dataclass(frozen=True)
class LinearInterpolation(Claim[Given]):
    """Sup errors against the bound at growing numbers of pieces."""

    nu: float = option(1.5, low=0.1, high=10.0)  # oscillations of the function
    relation = at_most(ulps=2**12, scale=1e-3)  # rounding of values of size one

    def given(self, rng: Generator) -> Given:
        """A sine with a drawn phase."""
        phi = 2 * math.pi * float(torch.rand(1, generator=rng, dtype=torch.float64))
        rate = 2 * math.pi * self.nu
        return Given(lambda x: torch.sin(rate * x[:, 0] + phi), rate**2)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Second differences on a grid."""
        values, h = given.f(GRID[:, None]), 1 / (len(GRID) - 1)
        found = float((values[2:] - 2 * values[1:-1] + values[:-2]).abs().max()) / h**2
        yield Hypothesis("f is twice differentiable with |f''| at most the stated number",
                         found <= given.curvature * (1 + 1e-3) + 1e-3,
                         f"{found:.3g}, stated {given.curvature:.3g}")  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """The bound."""
        return [interpolation_bound(m, given.curvature) for m in SIZES]

    def measure(self, given: Given) -> list[float]:
        """Errors on a fine grid."""
        target = given.f(GRID[:, None])
        return [float((pl_interpolant(given.f, m)(GRID) - target).abs().max()) for m in SIZES]

    def counterexample(self, rng: Generator) -> Given:
        """A kink at a place that is no node, in a function that is straight elsewhere."""
        slope = 1 + float(torch.rand(1, generator=rng, dtype=torch.float64))
        return Given(lambda x: slope * (x[:, 0] - 1 / 3).abs(), slope)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The interpolant with eight pieces, and errors over m."""
        x = GRID[::40].contiguous()
        picture = Figure(
            "Eight straight pieces",
            x="x",
            y="f(x)",
            marks=(
                Curve(given.f(x[:, None]), x, label="f", role="predicted"),
                Curve(pl_interpolant(given.f, 8)(x), x, label="interpolant"),
            ),
        )
        errors = Figure(
            "The error of m straight pieces",
            x="m",
            y="‖f − fₘ‖∞",
            log_x=True,
            log_y=True,
            marks=(
                Curve(self.predict(given), SIZES, label="‖f″‖ / 8m²", role="predicted"),
                Points(SIZES, self.measure(given), label="measured"),
            ),
        )
        return picture, errors
