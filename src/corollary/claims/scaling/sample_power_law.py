r"""Scaling law of the data.

Features are normal with variances :math:`\lambda_i=i^{-a}`, and the target has the power
:math:`i^{-b}` in feature i, with :math:`b-1<2a` and no noise. The test loss of the interpolation of
n samples with the least norm falls like

.. math:: L(n)\propto n^{-(b-1)} :

n samples determine about n features, and what is left is the power of the rest.

:source: Spigler, Geiger and Wyart (2020), "Asymptotic learning curves of kernel methods: empirical
    data versus teacher-student paradigm", Eq. 6; Maloney, Roberts and Sully (2022), "A solvable
    model of neural scaling laws", Section 3.
:kind: rate
:cost: seconds
:beyond: The notes bound the generalization error for all targets; this claim gives the exponent of
    one target, as scaling laws of networks are measured.
"""

import statistics
from typing import NamedTuple

from torch import Generator

from corollary.core import Claim, Over, Series, Suppose, normal, option, slope
from corollary.theory.scaling.power_spectrum import PowerSpectrum, power_spectrum, sample_loss


class Given(NamedTuple):
    a: float  # decay of the variances
    b: float  # decay of the target's power
    noise: float  # of the labels
    spectrum: PowerSpectrum


class SamplePowerLaw(Claim[Given]):
    a: float = option(1.5, low=1.1, high=3.0)  # decay of the variances
    b: float = option(2.0, low=1.3, high=3.0)  # decay of the target's power
    d: int = option(2000, low=500, high=20_000)  # features
    samples: tuple[int, ...] = (12, 24, 48, 96, 192)  # sizes of the data set
    draws: int = option(20, low=2, high=200)  # data sets of each size

    relation = slope(gap=0.2)  # draws and the missing features leave 0.1
    supposes = (
        Suppose(
            "labels have no noise",
            lambda g: (g.noise == 0, f"standard deviation {g.noise:g}"),
            "The noise is interpolated, and the loss does not fall.",
            noise=1.0,
        ),
        Suppose(
            "the target is not too smooth: b − 1 < 2a",
            lambda g: 2 * g.a - (g.b - 1),
            "The loss falls like n^(-2a), however smooth the target is.",
            b=8.0,
            spectrum=lambda g: power_spectrum(g.a, 8.0, len(g.spectrum.variances)),
        ),
    )
    symbols = "n^(−(b−1))", "median test loss"
    shows = Over("The loss is a power of the number of samples", x="samples n")

    def given(self, rng: Generator) -> Given:
        variances, weights = power_spectrum(self.a, self.b, self.d)
        signs = normal(rng, self.d).sign()
        return Given(self.a, self.b, 0.0, PowerSpectrum(variances, signs * weights))

    def predict(self, given: Given) -> float:
        return 1 - given.b

    def measure(self, given: Given, rng: Generator) -> Series:
        return Series(self.samples, [self._median(given, n, rng) for n in self.samples])

    def _median(self, given: Given, n: int, rng: Generator) -> float:
        losses = (
            sample_loss(given.spectrum, n, noise=given.noise, rng=rng) for _ in range(self.draws)
        )
        return statistics.median(losses)
