r"""Positions know distances.

The product of two sinusoidal encodings depends on their distance alone,

.. math:: \langle\mathrm{PE}(t),\mathrm{PE}(t')\rangle=\sum_{i=0}^{d/2-1}\cos(\omega_i(t-t')),
   \qquad\|\mathrm{PE}(t)\|^2=\frac d2,

so their Gram matrix is Toeplitz. It needs sine and cosine of each pair to have one frequency.

:source: Perez Jensen (2025), Deep Learning, Section 6.3; Lucchi (2025), Foundations of Deep
    Learning, Section 10.4.3.
:kind: identity
:cost: instant
:covers: sinusoidal-positional-encoding
:erratum: [wrong] With the frequencies omega_k = C^{k/d} of Perez Jensen (2025), one a coordinate,
    the Gram matrix is not Toeplitz: the counterexample here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.sequences.positions import clock_hands, frequencies


class Given(NamedTuple):
    """Pairs of times, and the frequencies of sines and cosines."""

    t: Float[Tensor, " n"]
    u: Float[Tensor, " n"]
    sine: Float[Tensor, " k"]
    cosine: Float[Tensor, " k"]


@dataclass(frozen=True)
class PositionalDistance(Claim[Given]):
    """Products of encodings against a sum of cosines."""

    n: int = option(200, low=4, high=10_000)  # pairs of positions
    T: int = option(100, low=2, high=10_000)  # the largest position
    pairs: int = option(16, high=256)  # pairs of sine and cosine, d/2
    base: float = option(1e4, low=1.5, high=1e6)  # C, ratio of fastest to slowest frequency
    relation = equals(ulps=4096, scale=1.0)  # d terms, with angles rounded at up to T

    def given(self, rng: Generator) -> Given:
        """Random positions, the first pair equal."""
        t, u = torch.randint(0, self.T, (2, self.n), generator=rng).double()
        u[0] = t[0]
        omega = frequencies(2 * self.pairs, self.base)
        return Given(t, u, omega, omega)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Pairs that turn."""
        same = torch.equal(given.sine, given.cosine)
        yield Hypothesis("sine and cosine of a pair have one frequency", same)

    def predict(self, given: Given) -> list[float]:
        """Cosines of the distance."""
        return _of_distance(given, given.t - given.u).tolist()

    def measure(self, given: Given) -> list[float]:
        """Products of encodings."""
        return _products(given).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The frequencies printed in the notes."""
        omega = self.base ** (torch.arange(2 * self.pairs).double() / (2 * self.pairs))
        return self.given(rng)._replace(sine=omega[::2], cosine=omega[1::2])

    def figure(self, given: Given) -> Figure:
        """Products against the distance."""
        gap = torch.linspace(-float(self.T), float(self.T), 401, dtype=torch.float64)
        marks = (
            Curve(_of_distance(given, gap), gap, label="Σ cos ωᵢ(t−t′)", role="predicted"),
            Points(given.t - given.u, _products(given), label="⟨PE(t), PE(t′)⟩"),
        )
        return Figure("Near positions are alike", x="distance t − t′", y="product", marks=marks)


def _of_distance(given: Given, gap: Tensor) -> Tensor:
    return (gap[:, None] * given.sine).cos().sum(dim=1)


def _products(given: Given) -> Tensor:
    P, R = (clock_hands(times, given.sine, given.cosine) for times in (given.t, given.u))
    return (P * R).sum(dim=1)
