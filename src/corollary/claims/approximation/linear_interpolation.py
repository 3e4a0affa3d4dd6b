r"""Piecewise-linear functions are dense: the error of interpolation.

The function that is linear between m + 1 equispaced nodes and meets f there has

.. math:: \|f-f_m\|_\infty\le\frac{\|f''\|_\infty}{8m^2}\qquad\text{on }[0,1]

if f is twice continuously differentiable, and :math:`\omega(f,1/m)`, which tends to 0, if f is
only continuous. A kink between the nodes breaks the first bound, whatever :math:`f''` is elsewhere.

:source: Perez Jensen (2025), Deep Learning, Section 2.5, Theorem 2.10; Lebesgue (1898), Sur
    l'approximation des fonctions; de Boor (1978), A practical guide to splines, Chapter III.
:kind: bound
:covers: piecewise-linear-density
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, option, uniform
from corollary.models.approximators.relu_sums import interpolation_bound, pl_interpolant

GRID = torch.linspace(0, 1, 8001, dtype=torch.float64)


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]  # on [0, 1]
    curvature: float  # bound on its second derivative


class LinearInterpolation(Claim[Given]):
    nu: float = option(1.5, low=0.1, high=10.0)  # oscillations of the function
    sizes: tuple[int, ...] = (4, 8, 16, 32, 64)  # pieces

    relation = at_most(ulps=2**12, scale=1e-3)  # rounding of values of size one
    supposes = Suppose(
        "|f''| is at most the stated number",
        lambda g: (
            g.curvature * (1 + 1e-3) + 1e-3 - 8000**2 * g.f(GRID[:, None]).diff(n=2).abs().max()
        ),
        "The function has a kink between two nodes and is straight elsewhere.",
        f=lambda g: lambda x: (x[:, 0] - 1 / 3).abs(),
        curvature=1.0,
    )
    symbols = "‖f″‖ / 8m²", "‖f − fₘ‖∞"
    rows = "m = {sizes}"
    shows = Along("Error of linear interpolation with m pieces", x="pieces m", at="sizes", log="xy")

    def given(self, rng: Generator) -> Given:
        phi = 2 * math.pi * float(uniform(rng, 1))
        rate = 2 * math.pi * self.nu
        return Given(lambda x: torch.sin(rate * x[:, 0] + phi), rate**2)

    def predict(self, given: Given) -> list[float]:
        return [interpolation_bound(m, given.curvature) for m in self.sizes]

    def measure(self, given: Given) -> list[float]:
        target = given.f(GRID[:, None])
        return [float((pl_interpolant(given.f, m)(GRID) - target).abs().max()) for m in self.sizes]

    def tight(self) -> Given:
        """A parabola attains the bound on every piece."""
        return Given(lambda x: x[:, 0] ** 2, 2.0)
