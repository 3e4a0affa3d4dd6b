r"""Scaling law of the steps.

Features have the variances :math:`\lambda_i=i^{-a}`, and the target has the power :math:`i^{-b}` in
feature i. The loss of gradient descent with a stable learning rate then falls like

.. math:: L(t)\propto t^{-(b-1)/a} .

After t steps the features up to :math:`t^{1/a}` are learned; what is left is the power of the rest.
The measurement iterates gradient descent.

:source: Bordelon, Atanasov and Pehlevan (2024), "A dynamical model of neural scaling laws", Section
    4; Velikanov and Yarotsky (2021), "Explicit loss asymptotics in the gradient descent training of
    neural networks", Theorem 1.
:kind: rate
:uses: gd_quadratic
:beyond: The notes have rates that hold for all quadratics; with a power-law spectrum the loss
    follows one power law, as the losses of large networks do.
"""

from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Over, Series, Suppose, option, slope, uniform
from corollary.theory.scaling.power_spectrum import PowerSpectrum, power_spectrum, step_exponent


class Given(NamedTuple):
    spectrum: PowerSpectrum
    rate: float  # learning rate, in units of 1 / largest variance


def reach(given: Given, steps: int) -> float:
    """How far the learned features are from the last one, as a factor, less 2."""
    slowest = given.rate * float(given.spectrum.variances[-1])
    return 1 / (slowest * steps) - 2


class DescentPowerLaw(Claim[Given]):
    a: float = option(1.5, low=1.1, high=3.0)  # decay of the variances
    b: float = option(2.0, low=1.3, high=4.0)  # decay of the target's power
    d: int = option(20_000, low=100, high=10**6)  # features
    steps: tuple[int, ...] = (32, 64, 128, 256, 512)  # steps of gradient descent

    relation = slope(gap=0.1)  # the missing features and the first steps leave 0.05
    supposes = (
        Suppose(
            "the learning rate is stable, below 2/λ₁",
            lambda g: 2 - g.rate,
            "The first feature diverges.",
            rate=2.05,
        ),
        Suppose(
            "the spectrum continues beyond the features that are learned",
            lambda self, g: reach(g, self.steps[-1]),
            "There are 20 features, and the loss falls exponentially.",
            spectrum=lambda g: PowerSpectrum(*(part[:20] for part in g.spectrum)),
        ),
    )
    symbols = "t^(−(b−1)/a)", "loss of gradient descent"
    shows = Over("The loss is a power of the steps", x="steps t")

    def given(self, rng: Generator) -> Given:
        return Given(power_spectrum(self.a, self.b, self.d), 0.8 + 0.4 * float(uniform(rng, 1)))

    def predict(self, given: Given) -> float:
        return -step_exponent(self.a, self.b)

    def measure(self, given: Given) -> Series:
        (variances, weights), rate = given
        w, losses = torch.zeros_like(weights), {}
        for t in range(1, self.steps[-1] + 1):
            w = w - rate * variances * (w - weights)
            if t in self.steps:
                losses[t] = float((variances * (w - weights) ** 2).sum())
        return Series(list(losses), list(losses.values()))
