r"""Repeated smoothing tends to a Gaussian.

The kernel :math:`h=(\tfrac12,\tfrac12)^{*k}` sums to 1 and has mean :math:`k/2` and variance
:math:`\sigma^2=k/4`; scaled by its width it tends to the Gaussian density at the rate

.. math:: \max_j\Bigl|\sigma h_j-\frac1{\sqrt{2\pi}}e^{-(j-k/2)^2/2\sigma^2}\Bigr|
   =\Theta\Bigl(\frac1k\Bigr).

A kernel :math:`(1-q,q)` that is not symmetric is skewed and only gets there like
:math:`1/\sqrt k`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1.1, for k = 4: (1, 4, 6, 4, 1)/16;
    Petrov (1975), "Sums of independent random variables", Chapter VII, for the rate.
:kind: rate
:cost: instant
:covers: gaussian-binomial-kernel
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.theory.architectures.sliding import convolution
from corollary.theory.architectures.stencils import moments


class Given(NamedTuple):
    """Two weights."""

    box: Float[Tensor, " 2"]


@dataclass(frozen=True)
class BinomialLimit(Claim[Given]):
    """The distance of repeated convolutions from a Gaussian."""

    doublings: int = option(7, low=4, high=9)  # largest order is 4 times 2 to this power
    relation = slope(gap=0.1)  # the next term of the expansion is 1/k smaller

    def given(self, rng: Generator) -> Given:
        """The symmetric box; nothing is drawn."""
        return Given(torch.tensor([0.5, 0.5], dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Weights and their symmetry."""
        yield Hypothesis("the weights sum to one", abs(float(given.box.sum()) - 1) < 1e-12)
        yield Hypothesis("the weights are equal", bool(given.box[0] == given.box[1]))

    def predict(self, given: Given) -> float:
        """The exponent of k."""
        return -1.0

    def measure(self, given: Given) -> Series:
        """Largest distance at each order."""
        distances = []
        for h in self._kernels(given):
            scaled, density = _compared(h)
            distances.append(float((scaled - density).abs().max()))
        return Series(self._orders(), distances)

    def counterexample(self, rng: Generator) -> Given:
        """A skewed kernel."""
        return Given(torch.tensor([0.9, 0.1], dtype=torch.float64))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The kernel of order 16, and the distances."""
        h = self._kernels(given)[2]
        scaled, density = _compared(h)
        series, skewed = self.measure(given), self.measure(Given(torch.tensor([0.9, 0.1]).double()))
        places = [j - (len(h) - 1) / 2 for j in range(len(h))]
        start = series.values[0] * series.sizes[0]
        rate = [start / k for k in series.sizes]
        kernel = (
            Curve(density, x=places, label="Gaussian", role="predicted"),
            Points(places, scaled, label="σ h"),
        )
        decay = (
            Curve(rate, x=series.sizes, label="1/k", role="predicted"),
            Points(series.sizes, series.values, label="(1/2, 1/2)"),
            Points(skewed.sizes, skewed.values, label="(0.9, 0.1)", role="other"),
        )
        return (
            Figure("Sixteen factors", x="place j - k/2", y="σ h", marks=kernel),
            Figure("Distance from the Gaussian", x="factors k", y="largest distance", marks=decay,
                   log_x=True, log_y=True),
        )  # fmt: skip

    def _orders(self) -> list[int]:
        return [4 * 2**i for i in range(self.doublings + 1)]

    def _kernels(self, given: Given) -> list[Tensor]:
        """Each kernel convolved with itself gives the next."""
        h = convolution(given.box, given.box)
        kernels = [convolution(h, h)]
        for _ in range(self.doublings):
            kernels.append(convolution(kernels[-1], kernels[-1]))
        return kernels


def _compared(h: Tensor) -> tuple[Tensor, Tensor]:
    """The scaled kernel and the Gaussian density at its places."""
    _, mean, variance = moments(h)
    z = (torch.arange(len(h), dtype=torch.float64) - mean) / variance**0.5
    return variance**0.5 * h, torch.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
