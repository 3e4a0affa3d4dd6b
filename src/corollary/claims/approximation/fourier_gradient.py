r"""The Fourier transform turns the gradient into a multiplication.

For a smooth f that dies out at infinity

.. math:: \widehat{\nabla f}(w)=2\pi i\,w\,\hat f(w),\qquad
   \int\|\widehat{\nabla f}(w)\|\,dw=2\pi C_f .

A jump breaks it: the derivative of a box is zero wherever it exists, its transform is not.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.1.
:kind: identity
:cost: instant
:covers: fourier-gradient-identity
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Complex, Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.approximation.fourier import centred_grid, gradient_transform, transform

N, STEP = 256, 1 / 16
MIDDLE = slice(N // 2 - 24, N // 2 + 25)  # frequencies up to 1.5


class Given(NamedTuple):
    """A function and its derivative on a grid."""

    f: Float[Tensor, " N"]
    slope: Float[Tensor, " N"]


@dataclass(frozen=True)
class FourierGradient(Claim[Given]):
    """Real and imaginary parts of the transform of the derivative, at low frequencies."""

    bumps: int = option(3, low=1, high=10)  # Gaussians in the function
    relation = equals(ulps=2**14, scale=1.0)  # rounding of sums of N terms of size one

    def given(self, rng: Generator) -> Given:
        """Gaussians with drawn heights, places and widths, differentiated by hand."""
        x = centred_grid(1, N, STEP)
        a, at, s = torch.rand(3, self.bumps, generator=rng, dtype=torch.float64)
        width = 0.4 + 0.4 * s
        z = (x - 3 * at + 1.5) / width
        bump = torch.exp(-(z**2) / 2)
        return Given(bump @ (0.5 + a), (-z * bump / width) @ (0.5 + a))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The derivative adds up to the function, and nothing is left at the ends."""
        rise = (given.slope[1:] + given.slope[:-1]) / 2 * STEP
        off = float((given.f.diff() - rise).abs().max())
        ends = float(given.f[[0, -1]].abs().max())
        yield Hypothesis("f is the integral of its derivative", off < 0.01, f"off by {off:.2g}")
        yield Hypothesis("f has died out at the ends of the grid", ends < 1e-9, f"{ends:.1g}")

    def predict(self, given: Given) -> list[float]:
        """The transform of f, multiplied."""
        return _parts(gradient_transform(transform(given.f, STEP))[:, 0])

    def measure(self, given: Given) -> list[float]:
        """The transform of the derivative."""
        return _parts(transform(given.slope, STEP).values)

    def counterexample(self, rng: Generator) -> Given:
        """A box."""
        at = 0.5 * float(torch.rand(1, generator=rng, dtype=torch.float64))
        box = (centred_grid(1, N, STEP)[:, 0] - at).abs() < 1
        return Given(box.double(), torch.zeros(N, dtype=torch.float64))

    def figure(self, given: Given) -> Figure:
        """Moduli of both sides."""
        own, slope = transform(given.f, STEP), transform(given.slope, STEP)
        w = own.w[MIDDLE, 0]
        return Figure(
            "Differentiation is multiplication by 2πiw",
            x="w",
            y="modulus",
            marks=(
                Curve(own.values[MIDDLE].abs(), w, label="transform of f", role="other"),
                Curve(2 * math.pi * w.abs() * own.values[MIDDLE].abs(), w, label="2π|w| times it",
                      role="predicted"),
                Points(w, slope.values[MIDDLE].abs(), label="transform of f′"),
            ),
        )  # fmt: skip


def _parts(values: Complex[Tensor, " N"]) -> list[float]:
    return torch.view_as_real(values[MIDDLE]).flatten().tolist()
