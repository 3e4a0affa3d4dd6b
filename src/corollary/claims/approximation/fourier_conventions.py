r"""Two conventions of the Fourier transform, and constants that differ by 2π.

With :math:`\hat f(w)=\int e^{-2\pi iwx}f(x)dx` and Barron's
:math:`\tilde f(w)=\frac1{2\pi}\int e^{-iwx}f(x)dx`, so that :math:`f(x)=\int e^{iwx}\tilde f(w)dw`,

.. math:: \|\hat f\|_2=\|f\|_2,\qquad2\pi\|\tilde f\|_2^2=\|f\|_2^2,\qquad
   \int|w|\,|\tilde f|\,dw=2\pi\int|w|\,|\hat f|\,dw .

The factor :math:`(2\pi)^{-1/2}`, also in use, gives yet another constant: a bound is worth nothing
without its convention.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.1 and (4.1); Perez Jensen (2025),
    Deep Learning, Section 4.1, Definition 4.2; Barron (1993), Universal approximation bounds for
    superpositions of a sigmoidal function.
:kind: identity
:covers: fourier-transform-convention
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, option, uniform
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.approximation.fourier import centred_grid, transform, weighted_mass

N, STEP = 320, 0.05


class Given(NamedTuple):
    f: Float[Tensor, " N"]  # on a grid
    factor: float  # before its angular transform


class FourierConventions(Claim[Given]):
    bumps: int = option(3, low=1, high=10)  # Gaussians in the function

    relation = equals(ulps=2**16)  # sums of a few hundred terms that cancel to a tenth
    supposes = (
        Suppose(
            "f is negligible at the ends of the grid", lambda g: 1e-9 - g.f[[0, -1]].abs().max()
        ),
        Suppose(
            "the transform of f is negligible at the highest frequency",
            lambda g: 1e-9 - transform(g.f, STEP).values[0].abs(),
        ),
        Suppose(
            "the angular transform has the factor 1/(2π)",
            lambda g: math.isclose(2 * math.pi * g.factor, 1.0),
            "With the factor (2π)^(-1/2), the constant is different.",
            factor=(2 * math.pi) ** -0.5,
        ),
    )
    symbols = "from f and f̂", "from f̂ and f̃"
    rows = ("‖f̂‖²", "‖f̃‖²", "∫ |w| |f̃(w)| dw")

    def given(self, rng: Generator) -> Given:
        a, at, s = uniform(rng, 3, self.bumps)
        z = (centred_grid(1, N, STEP) - 3 * at + 1.5) / (0.3 + 0.4 * s)
        return Given(torch.exp(-(z**2) / 2) @ (0.5 + a), 1 / (2 * math.pi))

    def predict(self, given: Given) -> list[float]:
        energy = float(given.f @ given.f) * STEP
        constant = weighted_mass(transform(given.f, STEP))
        return [energy, energy / (2 * math.pi), 2 * math.pi * constant]

    def measure(self, given: Given) -> Kept:
        ordinary, x = transform(given.f, STEP), centred_grid(1, N, STEP)[:, 0]
        dw = 2 * math.pi / (N * STEP)
        w = (torch.arange(N, dtype=torch.float64) - N // 2) * dw
        waves = torch.polar(torch.ones(N, N, dtype=torch.float64), -w[:, None] * x)
        angular = (given.factor * STEP * waves @ given.f.to(waves.dtype)).abs()
        found = [
            float(ordinary.values.abs().square().sum()) * ordinary.cell,
            float(angular.square().sum()) * dw,
            float((w.abs() * angular).sum()) * dw,
        ]
        return Kept(found, w=w, angular=angular, ordinary=ordinary)

    @picture(
        "Fourier transform of one function in two conventions", x="w", y="modulus of the transform"
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        kept, v = trial.kept, trial.kept.ordinary.w[:, 0]
        near, wide = v.abs() < 2, kept.w.abs() < 2
        low = kept.ordinary.values.abs()[near]
        yield Curve(low, v[near], label="ordinary", role="predicted")
        yield Curve(kept.angular[wide], kept.w[wide], label="angular: 1/2π as high, 2π as wide")
