r"""A sine is a signed mixture of thresholds of mass 4.

For h on [0, 1] with :math:`h(0)=0`,

.. math:: h(x)=\int_0^1\mathbb{1}[x\ge b]\,h'(b)\,db,\qquad M=\int_0^1|h'(b)|\,db,

and k thresholds drawn from :math:`|h'|/M` with weights :math:`\pm M/k` have the mean squared error

.. math:: \mathbb{E}\|h-h_k\|^2=\frac1k\int_0^1\bigl(M^2\,\mathbb{P}[b\le x]-h(x)^2\bigr)dx .

For :math:`\sin2\pi x` the mass is 4, and the error is :math:`7.5/k`, below :math:`16/k`.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 27, example in the proof.
:kind: construction
:covers: sine-threshold-representation
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Sample, Suppose, Trial, option, within_interval
from corollary.core.picture import Curve, Marks, band_of_runs, picture
from corollary.theory.approximation.maurey import SignedMeasure

X = (torch.arange(200, dtype=torch.float64) + 0.5) / 200
CELLS, TAU = 4000, 2 * math.pi


class Given(NamedTuple):
    h: Callable[[Tensor], Tensor]  # on [0, 1]
    slope: Callable[[Tensor], Tensor]  # its derivative


class SineThresholds(Claim[Given]):
    k: int = option(50, low=1, high=1000)  # thresholds in a network
    trials: int = option(1000, low=50, high=20_000)  # networks

    relation = within_interval(level=0.999, resolution=1.2)  # of 7.5; a thousand networks
    supposes = (
        Suppose(
            "h(0) = 0",
            lambda g: 1e-9 - g.h(0 * X[:1]).abs(),
            "A cosine is 1 at 0, but a mixture of thresholds starts at 0.",
            h=lambda g: lambda x: torch.cos(TAU * x),
            slope=lambda g: lambda b: -TAU * torch.sin(TAU * b),
        ),
        Suppose(
            "the weight is the derivative of h",
            lambda g: 1e-4 - (g.h(X).diff() - g.slope(X[1:] - 1 / 400) / 200).abs().max(),
            "Half the derivative gives half the sine.",
            slope=lambda g: lambda b: g.slope(b) / 2,
        ),
    )
    symbols = "∫ (M² P[b ≤ x] − h²)", "k ‖h − hₖ‖²"

    def given(self, rng: Generator) -> Given:
        return Given(lambda x: torch.sin(TAU * x), lambda b: TAU * torch.cos(TAU * b))

    def predict(self, given: Given) -> float:
        measure = SignedMeasure.from_density(given.slope, 0.0, 1.0, CELLS)
        below = measure.weights.abs().cumsum(0) / measure.mass
        share = below[(X * CELLS).long() - 1]
        return float((measure.mass**2 * share - given.h(X) ** 2).mean())

    def measure(self, given: Given, rng: Generator) -> Kept:
        measure = SignedMeasure.from_density(given.slope, 0.0, 1.0, CELLS)
        b, signs, _ = measure.sample(self.trials * self.k, rng=rng)
        shape = (self.trials, self.k)
        cell = torch.searchsorted(X, b[:, 0]).reshape(shape)  # the first point past the threshold
        steps = torch.zeros(self.trials, len(X) + 1, dtype=torch.float64)
        steps.scatter_add_(1, cell, signs.reshape(shape))
        networks = measure.mass / self.k * steps[:, :-1].cumsum(1)
        errors = self.k * (networks - given.h(X)).square().mean(1)
        return Kept(Sample(errors), networks=networks)

    @picture("{k} random thresholds for a sine", x="x", y="h(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        networks = trial.kept.networks
        yield band_of_runs(X, networks.T, "80 % of the networks", share=0.8)
        yield Curve(trial.given.h(X), X, label="h", role="predicted")
        yield Curve(networks[0], X, label="one network")
