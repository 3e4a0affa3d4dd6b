r"""Barron's constant of a Gaussian density.

For the density of :math:`N(0,\sigma^2I_d)`, with :math:`Z=(2\pi\sigma^2)^{-d/2}`,

.. math:: C_f=Z\,\mathbb{E}\|w\|\le\frac{Z\sqrt d}{2\pi\sigma},\qquad
   w\sim N\bigl(0,I/(4\pi^2\sigma^2)\bigr),

because :math:`\hat f(w)=e^{-2\pi^2\sigma^2\|w\|^2}` is Z times the density of w.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.4, Problem 1.
:kind: bound
:cost: instant
:covers: barron-gaussian
:erratum: [possible OCR artefact] The density in Problem 1 is shown with the prefactor
    (2 pi sigma^2)^{d/2}; the exponent must be -d/2. The counterexample here takes it as printed: f
    does not integrate to 1, and the bound fails.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, at_most, option
from corollary.theory.approximation.barron import gaussian_constant

DIMENSIONS = (1, 2, 3, 5)


class Given(NamedTuple):
    """Standard normal vectors, the width, and the sign of the exponent in the prefactor."""

    u: Float[Tensor, "n 5"]
    sigma: float
    sign: int


@dataclass(frozen=True)
class BarronGaussian(Claim[Given]):
    """Draws of Z ||w|| in several dimensions, against the bound."""

    sigma: float = option(0.4, low=0.05, high=5.0)  # standard deviation
    n: int = option(4000, low=1000, high=100_000)  # draws
    relation = at_most(level=0.999)  # the mean of the draws is Barron's constant

    def given(self, rng: Generator) -> Given:
        """Normal vectors; the first d columns serve dimension d."""
        u = torch.randn(self.n, DIMENSIONS[-1], generator=rng, dtype=torch.float64)
        return Given(u, self.sigma, -1)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A density."""
        whole = (2 * math.pi * given.sigma**2) ** ((1 + given.sign) / 2)
        yield Hypothesis("f integrates to 1", math.isclose(whole, 1.0), f"{whole:.3g} for d = 1")

    def predict(self, given: Given) -> list[float]:
        """The bound."""
        return [gaussian_constant(d, given.sigma, exact=False) for d in DIMENSIONS]

    def measure(self, given: Given) -> list[Sample]:
        """Draws of the integrand over the density of w."""
        return [Sample(_draws(given, d).tolist()) for d in DIMENSIONS]

    def counterexample(self, rng: Generator) -> Given:
        """The prefactor as printed."""
        return self.given(rng)._replace(sign=1, sigma=1.0)

    def figure(self, given: Given) -> Figure:
        """Bound, exact value and draws."""
        means = [_draws(given, d) for d in DIMENSIONS]
        spread = [2.6 * float(m.std()) / len(m) ** 0.5 for m in means]
        values = [float(m.mean()) for m in means]
        exact = [gaussian_constant(d, given.sigma) for d in DIMENSIONS]
        return Figure(
            f"Barron's constant of a Gaussian density, σ = {given.sigma:g}",
            x="d",
            y="constant",
            log_y=True,
            marks=(
                Curve(self.predict(given), DIMENSIONS, label="bound Z√d / 2πσ", role="predicted"),
                Curve(exact, DIMENSIONS, label="exact", role="other", dashed=True),
                Points(DIMENSIONS, values, label="mean of draws, 99 %",
                       low=[v - s for v, s in zip(values, spread, strict=True)],
                       high=[v + s for v, s in zip(values, spread, strict=True)]),
            ),
        )  # fmt: skip


def _draws(given: Given, d: int) -> Float[Tensor, " n"]:
    height = (2 * math.pi * given.sigma**2) ** (given.sign * d / 2)
    return height * given.u[:, :d].norm(dim=1) / (2 * math.pi * given.sigma)
