r"""Barron's constant of a Gaussian density.

For the density of :math:`N(0,\sigma^2I_d)`, with :math:`Z=(2\pi\sigma^2)^{-d/2}`,

.. math:: C_f=Z\,\mathbb{E}\|w\|\le\frac{Z\sqrt d}{2\pi\sigma},\qquad
   w\sim N\bigl(0,I/(4\pi^2\sigma^2)\bigr),

because :math:`\hat f(w)=e^{-2\pi^2\sigma^2\|w\|^2}` is Z times the density of w.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.4, Problem 1.
:kind: bound
:uses: barron_scaling
:covers: barron-gaussian
:erratum: [possible OCR artefact] The density in Problem 1 is shown with the prefactor
    (2 pi sigma^2)^{d/2}; the exponent must be -d/2. The counterexample here takes it as printed: f
    does not integrate to 1, and the bound fails.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, at_most, normal, option
from corollary.theory.approximation.barron import gaussian_constant


class Given(NamedTuple):
    """The prefactor of the density in dimension d, and draws of which w are the first d columns."""

    Z: Callable[[int], float]
    w: Float[Tensor, "n 5"]


def standard_errors(self: "BarronGaussian", given: Given) -> tuple[bool, str]:
    """How far the mean square of a coordinate of w is from 1/(2 pi sigma)^2."""
    squares = (2 * math.pi * self.sigma * given.w).square().flatten()
    z = abs(float(squares.mean() - 1)) * (len(squares) / 2) ** 0.5
    return z < 5, f"difference {z:.2g} standard errors"


class BarronGaussian(Claim[Given]):
    sigma: float = option(0.6, low=0.05, high=5.0)  # standard deviation
    dims: tuple[int, ...] = (1, 2, 3, 5)  # dimensions
    n: int = option(4000, low=1000, high=100_000)  # draws

    relation = at_most(level=0.999)  # the mean of the draws is Barron's constant
    supposes = (
        Suppose(
            "f integrates to 1",
            lambda self, g: math.isclose(g.Z(2) * 2 * math.pi * self.sigma**2, 1.0),
            "The prefactor (2πσ²)^(d/2) of the notes makes f, and its constant, too large.",
            Z=lambda self: lambda d: (2 * math.pi * self.sigma**2) ** (d / 2),
        ),
        Suppose(
            "w has variance 1/(2πσ)² along each axis",
            standard_errors,
            "If frequencies are measured in radians, they are 2π times as large.",
            w=lambda g: 2 * math.pi * g.w,
        ),
    )
    symbols = "Z√d / 2πσ", "mean of Z‖w‖"
    rows = "d = {dims}"
    shows = Along("Barron's constant of a Gaussian", x="dimension d", at="dims", log="y")

    def given(self, rng: Generator) -> Given:
        u = normal(rng, self.n, max(self.dims))
        w = u / (2 * math.pi * self.sigma)
        return Given(lambda d: (2 * math.pi * self.sigma**2) ** (-d / 2), w)

    def predict(self, given: Given) -> list[float]:
        return [gaussian_constant(d, self.sigma, exact=False) for d in self.dims]

    def measure(self, given: Given) -> list[Sample]:
        return [Sample(given.Z(d) * given.w[:, :d].norm(dim=1)) for d in self.dims]
