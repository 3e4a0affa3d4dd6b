r"""A sine is a signed mixture of thresholds of mass 4.

For h on [0, 1] with :math:`h(0)=0`,

.. math:: h(x)=\int_0^1\mathbb{1}[x\ge b]\,h'(b)\,db,\qquad M=\int_0^1|h'(b)|\,db,

and k thresholds drawn from :math:`|h'|/M` with weights :math:`\pm M/k` have the mean squared error

.. math:: \mathbb{E}\|h-h_k\|^2=\frac1k\int_0^1\bigl(M^2\,\mathbb{P}[b\le x]-h(x)^2\bigr)dx .

For :math:`\sin2\pi x` the mass is 4, and the error is :math:`7.5/k`, below :math:`16/k`.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 27, example in the proof.
:kind: construction
:cost: instant
:covers: sine-threshold-representation
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Band,
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Sample,
    generator,
    option,
    within_interval,
)
from corollary.theory.approximation.maurey import SignedMeasure

X = (torch.arange(200, dtype=torch.float64) + 0.5) / 200
CELLS = 4000


class Given(NamedTuple):
    """A function on [0, 1], its derivative, and a seed."""

    h: Callable[[Tensor], Tensor]
    slope: Callable[[Tensor], Tensor]
    seed: int


@dataclass(frozen=True)
class SineThresholds(Claim[Given]):
    """k times the squared error of drawn networks."""

    k: int = option(50, low=1, high=1000)  # thresholds in a network
    trials: int = option(1000, low=50, high=20_000)  # networks
    relation = within_interval(level=0.999, resolution=1.2)  # of 7.5; a thousand networks

    def given(self, rng: Generator) -> Given:
        """The sine of the notes."""
        seed = int(torch.randint(2**31, (1,), generator=rng))
        tau = 2 * math.pi
        return Given(lambda x: torch.sin(tau * x), lambda b: tau * torch.cos(tau * b), seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """It starts at zero, and the slope is its derivative."""
        start = float(given.h(torch.zeros(1, dtype=torch.float64)))
        rise = given.h(X[1:]) - given.h(X[:-1])
        off = float((rise - given.slope((X[1:] + X[:-1]) / 2) / 200).abs().max())
        yield Hypothesis("h(0) = 0", abs(start) < 1e-9, f"{start:.3g}")
        yield Hypothesis("the weight is the derivative of h", off < 1e-4, f"off by {off:.2g}")

    def predict(self, given: Given) -> float:
        """K times the exact error."""
        measure = SignedMeasure.from_density(given.slope, 0.0, 1.0, CELLS)
        below = measure.weights.abs().cumsum(0) / measure.mass
        share = below[(X * CELLS).long() - 1]
        return float((measure.mass**2 * share - given.h(X) ** 2).mean())

    def measure(self, given: Given) -> Sample:
        """K times the errors of drawn networks."""
        return Sample((self.k * (self._drawn(given) - given.h(X)).square().mean(1)).tolist())

    def counterexample(self, rng: Generator) -> Given:
        """A cosine, which starts at 1."""
        tau = 2 * math.pi
        cosine = self.given(rng)._replace(h=lambda x: torch.cos(tau * x))
        return cosine._replace(slope=lambda b: -tau * torch.sin(tau * b))

    def figure(self, given: Given) -> Figure:
        """The target, one network, and where most networks lie."""
        drawn = self._drawn(given)
        return Figure(
            f"{self.k} drawn thresholds for a sine",
            x="x",
            y="h(x)",
            marks=(
                Band(X, drawn.quantile(0.1, dim=0), drawn.quantile(0.9, dim=0),
                     label="80 % of the networks"),
                Curve(given.h(X), X, label="h", role="predicted"),
                Curve(drawn[0], X, label="one network"),
            ),
        )  # fmt: skip

    def _drawn(self, given: Given) -> Float[Tensor, "trials 200"]:
        rng = generator(given.seed)
        measure = SignedMeasure.from_density(given.slope, 0.0, 1.0, CELLS)
        b, signs, _ = measure.sample(self.trials * self.k, rng=rng)
        shape = (self.trials, self.k)
        cell = torch.searchsorted(X, b[:, 0]).reshape(shape)  # the first point past the threshold
        steps = torch.zeros(self.trials, len(X) + 1, dtype=torch.float64)
        steps.scatter_add_(1, cell, signs.reshape(shape))
        return measure.mass / self.k * steps[:, :-1].cumsum(1)
