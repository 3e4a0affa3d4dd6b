r"""Two conventions of the Fourier transform, and constants that differ by 2 pi.

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
:cost: instant
:covers: fourier-transform-convention
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Complex, Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.theory.approximation.fourier import centred_grid, transform, weighted_mass

N, STEP = 320, 0.05


class Given(NamedTuple):
    """A function on a grid, and the factor before its angular transform."""

    f: Float[Tensor, " N"]
    factor: float


@dataclass(frozen=True)
class FourierConventions(Claim[Given]):
    """Norms and constants, with the angular transform as a sum of its own."""

    bumps: int = option(3, low=1, high=10)  # Gaussians in the function
    relation = equals(ulps=2**16)  # sums of a few hundred terms that cancel to a tenth

    def given(self, rng: Generator) -> Given:
        """Gaussians with drawn heights, places and widths."""
        x = centred_grid(1, N, STEP)
        a, at, s = torch.rand(3, self.bumps, generator=rng, dtype=torch.float64)
        return Given((0.5 + a) @ _bump((x - 3 * at + 1.5) / (0.3 + 0.4 * s)).T, 1 / (2 * math.pi))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The grid is wide and fine enough; the factor is Barron's."""
        ends = float(given.f[[0, -1]].abs().max())
        last = float(transform(given.f, STEP).values[0].abs())
        yield Hypothesis("f has died out at the ends of the grid", ends < 1e-9, f"{ends:.1g}")
        yield Hypothesis("its transform has died out at the highest frequency", last < 1e-9,
                         f"{last:.1g}")  # fmt: skip
        yield Hypothesis("the angular transform has the factor 1/(2 pi)",
                         math.isclose(given.factor, 1 / (2 * math.pi)))  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """From f, and from its ordinary transform."""
        energy = float(given.f @ given.f) * STEP
        constant = weighted_mass(transform(given.f, STEP))
        return [energy, energy / (2 * math.pi), 2 * math.pi * constant]

    def measure(self, given: Given) -> list[float]:
        """From both transforms."""
        ordinary = transform(given.f, STEP)
        w, angular, dw = _angular(given)
        return [
            float(ordinary.values.abs().square().sum()) * ordinary.cell,
            float(angular.abs().square().sum()) * dw,
            float((w.abs() * angular.abs()).sum()) * dw,
        ]

    def counterexample(self, rng: Generator) -> Given:
        """The factor that makes the angular transform unitary."""
        return self.given(rng)._replace(factor=(2 * math.pi) ** -0.5)

    def figure(self, given: Given) -> Figure:
        """Both transforms over their own frequencies."""
        ordinary = transform(given.f, STEP)
        w, angular, _ = _angular(given)
        near, wide = ordinary.w[:, 0].abs() < 2, w.abs() < 2
        return Figure(
            "One function, two transforms",
            x="w",
            y="modulus of the transform",
            marks=(
                Curve(ordinary.values.abs()[near], ordinary.w[near, 0], label="ordinary",
                      role="predicted"),
                Curve(angular.abs()[wide], w[wide], label="angular: 1/2π as high, 2π as wide"),
            ),
        )  # fmt: skip


def _bump(x: Tensor) -> Tensor:
    return torch.exp(-(x**2) / 2)


def _angular(given: Given) -> tuple[Float[Tensor, " N"], Complex[Tensor, " N"], float]:
    """The sum over the grid, term by term."""
    x = centred_grid(1, N, STEP)[:, 0]
    dw = 2 * math.pi / (N * STEP)
    w = (torch.arange(N, dtype=torch.float64) - N // 2) * dw
    waves = torch.polar(torch.ones(N, N, dtype=torch.float64), -w[:, None] * x)
    return w, given.factor * STEP * waves @ given.f.to(waves.dtype), dw
