r"""Band-limited density with a ball as its spectrum.

Let :math:`\hat\varphi` be the indicator of the ball with radius R in :math:`\mathbb R^n`. If that
ball has volume one, :math:`R^n V_n = 1`, then :math:`\varphi^2` is a probability density:

.. math:: \int_{\|x\| \le T} \varphi(x)^2\,dx \to R^n V_n = 1 \qquad (T \to \infty),
          \qquad \varphi(x) = \Big(\frac{R}{\|x\|}\Big)^{n/2} J_{n/2}(2\pi R\|x\|) .

The tail is heavy, of order 1/T: the price of a spectrum that ends at R.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.2; Eldan and Shamir (2016), "The
    power of depth for feedforward neural networks".
:kind: limit
:uses: ball_kernel_transform
:covers: ball-bandlimited-density
"""

from typing import NamedTuple

from torch import Generator

from corollary.core import Claim, Over, Series, Suppose, converges, option
from corollary.theory.expressivity.ball_kernel import ball_volume, kernel_mass, unit_volume_radius

SIZES = (4.0, 8.0, 16.0, 32.0, 64.0, 128.0)  # radii T


class Given(NamedTuple):
    n: int  # dimension
    R: float  # radius of the spectrum

    @property
    def volume(self) -> float:
        """Of the spectrum."""
        return self.R**self.n * ball_volume(self.n)


class BallDensity(Claim[Given]):
    n: int = option(3, low=1, high=20)  # dimension

    relation = converges(gap=0.02)  # the tail beyond T = 128 is about n / (2 pi^2 R T)
    supposes = Suppose(
        "the spectrum has volume one",
        lambda g: abs(g.volume - 1) < 1e-12,
        "The volume of the unit ball is not one in any dimension.",
        R=1.0,
    )
    symbols = "RⁿVₙ = 1", "mass of φ² within T"
    predicts = 1.0
    shows = Over("Mass of the squared kernel", x="radius T")

    def given(self, rng: Generator) -> Given:
        return Given(self.n, unit_volume_radius(self.n))

    def measure(self, given: Given) -> Series:
        return Series(SIZES, [kernel_mass(given.n, T, given.R) for T in SIZES])
