r"""Barron's constant grows with the frequency, and is infinite for a jump.

For :math:`f_a(x)=f(ax)`, :math:`a>0`,

.. math:: C_{f_a}=a\,C_f,\qquad C_f=\int\|w\|\,|\hat f(w)|\,dw .

For a box the partial integrals grow like the cut-off: squeezing it changes nothing, and there is no
constant to scale. Functions with a finite constant are continuously differentiable.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.1; Barron (1993), Universal
    approximation bounds for superpositions of a sigmoidal function.
:kind: identity
:uses: fourier_gradient
:covers: barron-constant
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Path, Suppose, equals, normal, option, uniform
from corollary.theory.approximation.barron import barron_constant


class Given(NamedTuple):
    fhat: Callable[[Tensor], Tensor]  # transform of a function
    a: float  # how much the function is squeezed


class BarronScaling(Claim[Given]):
    a: float = option(3.0, low=0.25, high=8.0)  # factor of the variable
    bumps: int = option(3, low=1, high=10)  # Gaussians in the function

    relation = equals(ulps=2**28)  # quadrature ends when a shell adds less than 1e-10
    supposes = (
        Suppose(
            "Barron's constant is finite",
            lambda g: barron_constant(g.fhat).finite,
            "For a box, the integral grows without bound with the cut-off.",
            fhat=lambda g: lambda w: torch.sinc(w[:, 0]),
        ),
        Suppose(
            "a is positive", lambda g: g.a, "For a negative a, the factor is |a|.", a=lambda g: -g.a
        ),
    )
    symbols = "a C(f)", "C(f(a·))"
    shows = Along(
        "Barron's integral up to a cut-off frequency",
        x="doublings of the cut-off",
        y="∫ |w| |f̂(w)| dw up to the cut-off",
        log="y",
    )

    def given(self, rng: Generator) -> Given:
        at = 2 * uniform(rng, self.bumps) - 1
        height = normal(rng, self.bumps)
        height[0] = 0.5 + height[1:].abs().sum()  # so that the transform has no zero
        height = (height / height.abs().sum()).to(torch.complex128)

        def fhat(w: Tensor) -> Tensor:
            envelope = torch.exp(-math.pi * w[:, 0] ** 2)
            return torch.polar(envelope[:, None], -2 * math.pi * w * at) @ height

        return Given(fhat, self.a)

    def predict(self, given: Given) -> float:
        return given.a * barron_constant(given.fhat).partial[-1]

    def measure(self, given: Given) -> Path:
        return Path(barron_constant(lambda w: given.fhat(w / given.a) / given.a).partial)
