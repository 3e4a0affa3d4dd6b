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
:covers: gaussian-binomial-kernel
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Over, Series, Suppose, Trial, near, option, slope
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.theory.architectures.sliding import convolution
from corollary.theory.architectures.stencils import moments


class Given(NamedTuple):
    box: Float[Tensor, " 2"]  # two weights


class BinomialLimit(Claim[Given]):
    doublings: int = option(7, low=4, high=9)  # largest order is 4 times 2 to this power

    relation = slope(gap=0.1)  # the next term of the expansion is 1/k smaller
    supposes = (
        Suppose(
            "the weights sum to one",
            lambda g: near(g.box.sum(), 1.0, 1e-12),
            "If the weights sum to 1.1, the result grows with every factor.",
            box=lambda g: 1.1 * g.box,
        ),
        Suppose(
            "the weights are equal",
            lambda g: bool(g.box[0] == g.box[1]),
            "A skewed kernel approaches the Gaussian more slowly.",
            box=torch.tensor([0.9, 0.1], dtype=torch.float64),
        ),
    )
    symbols = "1/k", "largest distance from the Gaussian"
    predicts = -1.0
    shows = Over("Distance from the Gaussian", x="factors k")

    def given(self, rng: Generator) -> Given:
        return Given(torch.tensor([0.5, 0.5], dtype=torch.float64))

    def measure(self, given: Given) -> Kept:
        """Each kernel convolved with itself gives the next."""
        h = convolution(given.box, given.box)
        kernels = [convolution(h, h)]
        for _ in range(self.doublings):
            kernels.append(convolution(kernels[-1], kernels[-1]))
        orders = [4 * 2**i for i in range(self.doublings + 1)]
        off = [float((scaled - density).abs().max()) for scaled, density in map(_scaled, kernels)]
        return Kept(Series(orders, off), sixteen=kernels[2])

    @picture("Convolution of sixteen kernels", x="place j - k/2", y="σ h")
    def marks(self, trial: Trial[Given]) -> Marks:
        scaled, density = _scaled(trial.kept.sixteen)
        places = [j - (len(scaled) - 1) / 2 for j in range(len(scaled))]
        yield Curve(density, x=places, label="Gaussian", role="predicted")
        yield Points(places, scaled, label="σ h")


def _scaled(h: Tensor) -> tuple[Tensor, Tensor]:
    """The scaled kernel and the Gaussian density at its places."""
    _, mean, variance = moments(h)
    z = (torch.arange(len(h), dtype=torch.float64) - mean) / variance**0.5
    return variance**0.5 * h, torch.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
