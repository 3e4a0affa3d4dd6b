r"""Fourier transform of a ball.

The indicator of the ball :math:`R\,\mathbb B^n` has the (inverse) Fourier transform

.. math:: \int_{\|\omega\| \le R} e^{2\pi i\,\omega\cdot x}\,d\omega
          = \Big(\frac{R}{\|x\|}\Big)^{n/2} J_{n/2}(2\pi R\|x\|) ,

measured by slicing the ball into discs,
:math:`V_{n-1} \int_{-R}^{R} (R^2 - s^2)^{(n-1)/2} \cos(2\pi s\|x\|)\,ds`. It is a sinc for n = 1
only; for n = 3 it is proportional to :math:`(\sin k - k\cos k)/k^3`, :math:`k = 2\pi R\|x\|`.

:source: Lucchi (2025), Foundations of Deep Learning, Figure 4.5; Stein and Weiss (1971),
    Introduction to Fourier analysis on Euclidean spaces, Theorem IV.3.3.
:kind: identity
:uses: fourier_conventions
:covers: ball-bandlimited-density
"""

from typing import NamedTuple

import torch
from scipy.special import roots_gegenbauer
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, option, uniform
from corollary.theory.expressivity.ball_kernel import ball_kernel, ball_volume, unit_volume_radius

NODES = 80  # exact for cosines of up to 80 radians or so


class Given(NamedTuple):
    """Norms of points; dimension and radius of the ball, and those the kernel is written for."""

    r: Tensor
    n: int
    R: float
    kernel: tuple[int, float]


class BallKernelTransform(Claim[Given]):
    n: int = option(3, low=1, high=16)  # dimension
    points: int = option(64, low=1, high=4096)  # points of comparison
    reach: float = option(6.0, low=0.1, high=8.0)  # largest norm

    relation = equals(ulps=4096, scale=1.0)  # 80 terms of order 1 that cancel; phi(0) = 1
    supposes = (
        Suppose(
            "the kernel has the ball's dimension",
            lambda g: g.kernel[0] == g.n,
            "The sinc is the kernel for one dimension only.",
            kernel=lambda g: (1 if g.n > 1 else 3, g.R),
        ),
        Suppose(
            "the kernel has the ball's radius",
            lambda g: g.kernel[1] == g.R,
            "The kernel of the unit ball has the wrong radius.",
            kernel=lambda g: (g.n, 1.0),
        ),
    )
    symbols = "Bessel kernel φ", "slices of the ball"
    shows = Along("Fourier transform of the ball of volume one", x="‖x‖", at="r")

    def given(self, rng: Generator) -> Given:
        r = self.reach * uniform(rng, self.points)
        R = unit_volume_radius(self.n)
        return Given(r.sort().values, self.n, R, (self.n, R))

    def predict(self, given: Given) -> Tensor:
        return ball_kernel(given.r, *given.kernel)

    def measure(self, given: Given) -> Tensor:
        n, R = given.n, given.R
        u, w = roots_gegenbauer(NODES, n / 2)  # Gauss' rule with the weight of the discs
        waves = torch.cos(2 * torch.pi * R * given.r[:, None] * torch.from_numpy(u))
        return ball_volume(n - 1) * R**n * (waves @ torch.from_numpy(w))
