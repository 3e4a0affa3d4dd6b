r"""The Fourier transform turns the gradient into a multiplication.

For a smooth f that dies out at infinity

.. math:: \widehat{\nabla f}(w)=2\pi i\,w\,\hat f(w),\qquad
   \int\|\widehat{\nabla f}(w)\|\,dw=2\pi C_f .

A jump breaks it: the derivative of a box is zero wherever it exists, its transform is not.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.1.
:kind: identity
:uses: fourier_conventions
:covers: fourier-gradient-identity
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, option, uniform
from corollary.theory.approximation.fourier import centred_grid, gradient_transform, transform

N, STEP = 256, 1 / 16
MIDDLE = slice(N // 2 - 24, N // 2 + 25)  # frequencies up to 1.5
X = centred_grid(1, N, STEP)


class Given(NamedTuple):
    f: Float[Tensor, " N"]  # on a grid
    slope: Float[Tensor, " N"]  # its derivative there

    @property
    def w(self) -> Tensor:
        """The frequencies that are compared."""
        return transform(self.f, STEP).w[MIDDLE, 0]


class FourierGradient(Claim[Given]):
    bumps: int = option(3, low=1, high=10)  # Gaussians in the function

    relation = equals(ulps=2**14, scale=1.0)  # rounding of sums of N terms of size one
    supposes = (
        Suppose(
            "f is the integral of its derivative",
            lambda g: near(g.f.diff(), (g.slope[1:] + g.slope[:-1]) / 2 * STEP, to=0.01),
            "The derivative of a box is zero wherever it exists.",
            f=lambda g: ((X[:, 0] - 0.2).abs() < 1).double(),
            slope=lambda g: 0 * g.slope,
        ),
        Suppose(
            "f is negligible at the ends of the grid",
            lambda g: 1e-9 - g.f[[0, -1]].abs().max(),
            "A ramp is not small at the ends of the grid.",
            f=lambda g: X[:, 0] / 8,
            slope=lambda g: 0 * g.slope + 1 / 8,
        ),
    )
    symbols = "2πiw f̂(w), Re + Im", "transform of f′, Re + Im"
    shows = Along("Differentiation is multiplication by 2πiw", x="w", at="w")

    def given(self, rng: Generator) -> Given:
        a, at, s = uniform(rng, 3, self.bumps)
        width = 0.4 + 0.4 * s
        z = (X - 3 * at + 1.5) / width
        bump = torch.exp(-(z**2) / 2)
        return Given(bump @ (0.5 + a), (-z * bump / width) @ (0.5 + a))

    def predict(self, given: Given) -> Tensor:
        values = gradient_transform(transform(given.f, STEP))[MIDDLE, 0]
        return values.real + values.imag

    def measure(self, given: Given) -> Tensor:
        values = transform(given.slope, STEP).values[MIDDLE]
        return values.real + values.imag
