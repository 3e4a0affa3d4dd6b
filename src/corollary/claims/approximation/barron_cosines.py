r"""Every function with an integrable transform is a mixture of cosines.

With :math:`\hat f(w)=|\hat f(w)|e^{2\pi i\theta(w)}`,

.. math:: f(x)=\int_{\mathbb{R}^d}\cos\bigl(2\pi w\cdot x+2\pi\theta(w)\bigr)\,|\hat f(w)|\,dw :

a network of infinite width, with :math:`|\hat f|` as its output weights. Without the phase
:math:`\theta` every such mixture is even and peaks at the origin.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 26 (i) and (4.2).
:kind: identity
:cost: instant
:covers: barron-cosine-representation
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.approximation.representations import Polar, cosine_representation
from corollary.theory.approximation.spectra import GaussianBump


class Flat(NamedTuple):
    """A transform stripped of its phase."""

    of: GaussianBump

    @property
    def d(self) -> int:
        """Dimension."""
        return self.of.d

    def modulus(self, w: Tensor) -> Tensor:
        """As before."""
        return self.of.modulus(w)

    def phase(self, w: Tensor) -> Tensor:
        """None."""
        return torch.zeros_like(w[:, 0])


class Given(NamedTuple):
    """A bump, a modulus and phase for it, and points."""

    f: GaussianBump
    polar: Polar
    x: Float[Tensor, "n d"]


@dataclass(frozen=True)
class BarronCosines(Claim[Given]):
    """The integral by quadrature, against the function."""

    d: int = option(2, low=1, high=2)  # dimension
    sigma: float = option(0.4, low=0.2, high=2.0)  # width of the bump
    relation = equals(ulps=2**20, scale=1.0)  # a Gauss rule on frequencies up to six deviations

    def given(self, rng: Generator) -> Given:
        """A bump off the origin, and points around."""
        centre = torch.rand(self.d, generator=rng, dtype=torch.float64) - 0.5
        x = 2 * torch.rand(40, self.d, generator=rng, dtype=torch.float64) - 1
        f = GaussianBump(centre, self.sigma)
        return Given(f, f, x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Modulus and phase are those of the transform."""
        w = given.x / self.sigma
        polar = torch.polar(given.polar.modulus(w), 2 * math.pi * given.polar.phase(w))
        off = float((polar - given.f.fourier(w)).abs().max())
        yield Hypothesis("theta is the phase of the transform", off < 1e-12, f"off by {off:.2g}")

    def predict(self, given: Given) -> list[float]:
        """The function."""
        return given.f(given.x).tolist()

    def measure(self, given: Given) -> list[float]:
        """The mixture."""
        return self._mixture(given.polar, given.x).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The phase is forgotten."""
        given = self.given(rng)
        return given._replace(polar=Flat(given.f))

    def figure(self, given: Given) -> Figure:
        """Along a line through the origin and the centre of the bump."""
        t = torch.linspace(-1.5, 1.5, 61, dtype=torch.float64)
        x = t[:, None] * given.f.centre / given.f.centre.norm()
        flat = self._mixture(Flat(given.f), x)
        return Figure(
            "A bump made of cosines",
            x="x, along the line to the centre",
            y="f(x)",
            marks=(
                Curve(given.f(x), t, label="f", role="predicted"),
                Points(t, self._mixture(given.polar, x), label="mixture of cosines"),
                Curve(flat, t, label="without the phase θ", role="other", dashed=True),
            ),
        )

    def _mixture(self, polar: Polar, x: Tensor) -> Tensor:
        reach = 6.5 / (2 * math.pi * self.sigma)
        return cosine_representation(polar, x, reach=reach, panels=24)
