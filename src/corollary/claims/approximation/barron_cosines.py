r"""A function with an integrable Fourier transform is a mixture of cosines.

With :math:`\hat f(w)=|\hat f(w)|e^{2\pi i\theta(w)}`,

.. math:: f(x)=\int_{\mathbb{R}^d}\cos\bigl(2\pi w\cdot x+2\pi\theta(w)\bigr)\,|\hat f(w)|\,dw :

a network of infinite width, with :math:`|\hat f|` as its output weights. Without the phase
:math:`\theta` every such mixture is even and peaks at the origin.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 26 (i) and (4.2).
:kind: identity
:uses: fourier_conventions
:covers: barron-cosine-representation
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option, uniform
from corollary.theory.approximation.representations import cosine_representation
from corollary.theory.approximation.spectra import GaussianBump


class Given(NamedTuple):
    f: GaussianBump  # a bump
    polar: GaussianBump  # another, whose modulus and phase are used
    x: Float[Tensor, "n d"]  # points on a line
    t: Float[Tensor, " n"]  # place on the line


class BarronCosines(Claim[Given]):
    d: int = option(2, low=1, high=2)  # dimension
    sigma: float = option(0.4, low=0.2, high=2.0)  # width of the bump

    relation = equals(ulps=2**14, scale=1.0)  # a Gauss rule on frequencies up to 7.5 deviations
    supposes = (
        Suppose(
            "the weights are the modulus of f's Fourier transform",
            lambda g: torch.equal(g.polar.modulus(g.x), g.f.modulus(g.x)),
            "With the transform of a narrower bump as weights, the mixture is the narrower bump.",
            polar=lambda g: GaussianBump(g.f.centre, g.f.sigma / 2),
        ),
        Suppose(
            "theta is the phase of f's transform",
            lambda g: torch.equal(g.polar.phase(g.x), g.f.phase(g.x)),
            "Without θ the mixture of cosines is even, and f is not.",
            polar=lambda g: GaussianBump(0 * g.f.centre, g.f.sigma),
        ),
    )
    symbols = "f(x)", "mixture of cosines"
    shows = Along("A bump made of cosines", x="x, along a line", y="f(x)", at="t")

    def given(self, rng: Generator) -> Given:
        centre = uniform(rng, self.d) - 0.5
        u = normal(rng, self.d)
        t = torch.linspace(-1.5, 1.5, 61, dtype=torch.float64)
        f = GaussianBump(centre, self.sigma)
        return Given(f, f, centre + t[:, None] * u / u.norm(), t)

    def predict(self, given: Given) -> Tensor:
        return given.f(given.x)

    def measure(self, given: Given) -> Tensor:
        reach = 7.5 / (2 * math.pi * given.polar.sigma)
        return cosine_representation(given.polar, given.x, reach=reach, panels=24)
