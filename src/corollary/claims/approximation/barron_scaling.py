r"""Barron's constant grows with the frequency, and is infinite for a jump.

For :math:`f_a(x)=f(ax)`, :math:`a>0`,

.. math:: C_{f_a}=a\,C_f,\qquad C_f=\int\|w\|\,|\hat f(w)|\,dw .

For a box the partial integrals grow like the cut-off: squeezing it changes nothing, and there is no
constant to scale. Functions with a finite constant are continuously differentiable.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.1; Barron (1993), Universal
    approximation bounds for superpositions of a sigmoidal function.
:kind: identity
:cost: instant
:covers: barron-constant
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.theory.approximation.barron import Constant, barron_constant


class Given(NamedTuple):
    """The transform of a function, and how much the function is squeezed."""

    fhat: Callable[[Tensor], Tensor]
    a: float


@dataclass(frozen=True)
class BarronScaling(Claim[Given]):
    """The constant of f(ax) against a times that of f."""

    a: float = option(3.0, low=0.25, high=8.0)  # factor of the variable
    bumps: int = option(3, low=1, high=10)  # Gaussians in the function
    relation = equals(ulps=2**28)  # quadrature ends when a shell adds less than 1e-10

    def given(self, rng: Generator) -> Given:
        """A sum of Gaussians, some of them negative, each with its phase."""
        at = 2 * torch.rand(self.bumps, generator=rng, dtype=torch.float64) - 1
        height = torch.randn(self.bumps, generator=rng, dtype=torch.float64)
        height[0] = 0.5 + height[1:].abs().sum()  # so that the transform has no zero
        height = (height / height.abs().sum()).to(torch.complex128)

        def fhat(w: Tensor) -> Tensor:
            envelope = torch.exp(-math.pi * w[:, 0] ** 2)
            return torch.polar(envelope[:, None], -2 * math.pi * w * at) @ height

        return Given(fhat, self.a)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The integral ends."""
        found = barron_constant(given.fhat)
        yield Hypothesis("Barron's constant is finite", found.finite,
                         f"{found.partial[-1]:.3g} up to {found.cutoffs[-1]:g}")  # fmt: skip

    def predict(self, given: Given) -> float:
        """The constant of f, times a."""
        return given.a * barron_constant(given.fhat).partial[-1]

    def measure(self, given: Given) -> float:
        """The constant of the squeezed function."""
        return _squeezed(given).partial[-1]

    def counterexample(self, rng: Generator) -> Given:
        """A box."""
        return Given(lambda w: torch.sinc(w[:, 0]), self.a)

    def figure(self, given: Given) -> Figure:
        """Partial integrals of three functions."""
        smooth, squeezed = barron_constant(given.fhat), _squeezed(given)
        box = barron_constant(lambda w: torch.sinc(w[:, 0]))
        hat = barron_constant(lambda w: torch.sinc(w[:, 0]) ** 2)
        return Figure(
            "A kink or a jump has no Barron constant",
            x="cut-off",
            y="∫ |w| |f̂(w)| dw up to it",
            log_x=True,
            log_y=True,
            marks=(
                Curve(smooth.partial, smooth.cutoffs, label="smooth f", role="predicted"),
                Curve(squeezed.partial, squeezed.cutoffs, label=f"f({given.a:g} x)"),
                Curve(hat.partial, hat.cutoffs, label="hat: grows like log", role="other"),
                Curve(box.partial, box.cutoffs, label="box: grows linearly", role="other",
                      dashed=True),
            ),
        )  # fmt: skip


def _squeezed(given: Given) -> Constant:
    return barron_constant(lambda w: given.fhat(w / given.a) / given.a)
