r"""Transform of a ball.

The indicator of the ball :math:`R\,\mathbb B^n` has the (inverse) Fourier transform

.. math:: \int_{\|\omega\| \le R} e^{2\pi i\,\omega\cdot x}\,d\omega
          = \Big(\frac{R}{\|x\|}\Big)^{n/2} J_{n/2}(2\pi R\|x\|) ,

measured by slicing the ball into discs,
:math:`V_{n-1} \int_{-R}^{R} (R^2 - s^2)^{(n-1)/2} \cos(2\pi s\|x\|)\,ds`. It is a sinc for n = 1
only; for n = 3 it is proportional to :math:`(\sin k - k\cos k)/k^3`, :math:`k = 2\pi R\|x\|`.

:source: Lucchi (2025), Foundations of Deep Learning, Figure 4.5; Stein and Weiss (1971),
    Introduction to Fourier analysis on Euclidean spaces, Theorem IV.3.3.
:kind: identity
:cost: instant
:covers: ball-bandlimited-density
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from scipy.special import roots_gegenbauer
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.expressivity.ball_kernel import (
    ball_kernel,
    ball_volume,
    unit_volume_radius,
)

NODES = 80  # exact for cosines of up to 80 radians or so


class Given(NamedTuple):
    """Norms of points, the dimension of the ball, and the dimension the kernel is written for."""

    r: Tensor
    n: int
    kernel: int


@dataclass(frozen=True)
class BallKernelTransform(Claim[Given]):
    """The Bessel kernel against slices of the ball, at drawn points."""

    n: int = option(3, low=1, high=16)  # dimension
    points: int = option(64, low=1, high=4096)  # to compare at
    reach: float = option(6.0, low=0.1, high=8.0)  # largest norm
    relation = equals(ulps=4096, scale=1.0)  # 80 terms of order 1 that cancel; phi(0) = 1

    def given(self, rng: Generator) -> Given:
        """Norms uniform up to the reach."""
        r = self.reach * torch.rand(self.points, generator=rng, dtype=torch.float64)
        return Given(r.sort().values, self.n, self.n)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Which Bessel function."""
        same = given.kernel == given.n
        yield Hypothesis("the kernel has the order of the ball's dimension", same)

    def predict(self, given: Given) -> list[float]:
        """The Bessel kernel."""
        return ball_kernel(given.r, given.kernel).tolist()

    def measure(self, given: Given) -> list[float]:
        """Slices of the ball, by Gauss' rule with the weight of the discs."""
        n, R = given.n, unit_volume_radius(given.n)
        u, w = roots_gegenbauer(NODES, n / 2)  # weight (1 - u^2)^((n - 1) / 2)
        u, w = torch.from_numpy(u), torch.from_numpy(w)
        waves = torch.cos(2 * torch.pi * R * given.r[:, None] * u)
        return (ball_volume(n - 1) * R**n * (waves @ w)).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A sinc of the norm (or, on the line, the kernel of the space) in place of the kernel."""
        return self.given(rng)._replace(kernel=1 if self.n > 1 else 3)

    def figure(self, given: Given) -> Figure:
        """The kernel in this dimension, and as a sinc."""
        marks = (
            Curve(self.predict(given), given.r, "Bessel kernel", "predicted"),
            Points(given.r, self.measure(given), f"slices of the ball, n = {given.n}"),
            Curve(ball_kernel(given.r, 1), given.r, "n = 1: a sinc", "other", dashed=True),
        )
        return Figure("Transform of the ball of volume one", x="‖x‖", y="φ", marks=marks)
