r"""Band-limited density with a ball as its spectrum.

Let :math:`\hat\varphi` be the indicator of the ball with radius R in :math:`\mathbb R^n`. If that
ball has volume one, :math:`R^n V_n = 1`, then :math:`\varphi^2` is a probability density:

.. math:: \int_{\|x\| \le T} \varphi(x)^2\,dx \to R^n V_n = 1 \qquad (T \to \infty),
          \qquad \varphi(x) = \Big(\frac{R}{\|x\|}\Big)^{n/2} J_{n/2}(2\pi R\|x\|) .

The tail is heavy, of order 1/T: the price of a spectrum that ends at R.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.2; Eldan and Shamir (2016), "The
    power of depth for feedforward neural networks".
:kind: limit
:cost: instant
:covers: ball-bandlimited-density
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Points,
    Series,
    converges,
    option,
)
from corollary.theory.expressivity.ball_kernel import (
    ball_kernel,
    ball_volume,
    kernel_mass,
    unit_volume_radius,
)

SIZES = (4.0, 8.0, 16.0, 32.0, 64.0, 128.0)  # radii T


class Given(NamedTuple):
    """Dimension and radius of the spectrum."""

    n: int
    R: float


@dataclass(frozen=True)
class BallDensity(Claim[Given]):
    """Mass of the squared kernel in growing balls."""

    n: int = option(3, low=1, high=20)  # dimension
    relation = converges(gap=0.02)  # the tail beyond T = 128 is about n / (2 pi^2 R T)

    def given(self, rng: Generator) -> Given:
        """The ball of volume one; nothing is drawn."""
        return Given(self.n, unit_volume_radius(self.n))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The volume."""
        volume = given.R**given.n * ball_volume(given.n)
        one = abs(volume - 1) < 1e-12
        yield Hypothesis("the ball of the spectrum has volume one", one, f"{volume:.4g}")

    def predict(self, given: Given) -> float:
        """All the mass of a density."""
        return 1.0

    def measure(self, given: Given) -> Series:
        """Mass within T, by quadrature."""
        return Series(SIZES, [kernel_mass(given.n, T, given.R) for T in SIZES])

    def counterexample(self, rng: Generator) -> Given:
        """The unit ball, as in the notes: its volume is one in no dimension."""
        return Given(self.n, 1.0)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The mass, and the kernel beside a sinc."""
        n, R = given
        found = [kernel_mass(n, T, R) for T in SIZES]
        unit = [kernel_mass(n, T, 1.0) for T in SIZES]
        mass = (
            Level(1.0, "RⁿVₙ = 1"),
            Points(SIZES, found, "ball of volume one"),
            Curve(unit, SIZES, "unit ball (the notes)", "other", dashed=True),
        )
        r = torch.linspace(0, 4, 401, dtype=torch.float64)
        kernels = (
            Curve(ball_kernel(r, n), r, f"φ for n = {n}"),
            Curve(torch.sinc(2 * R * r), r, "sinc, as in the caption", "other", dashed=True),
        )
        return (
            Figure("Mass of φ² within T", "T", "mass", mass, log_x=True),
            Figure("The kernel is no sinc unless n = 1", "‖x‖", "φ", kernels),
        )
