r"""Convolution is shift equivariant.

With :math:`f_\delta(t)=f(t+\delta)`

.. math:: f_\delta*h=(f*h)_\delta .

On finite signals this is exact if the ends meet (circular padding). With zeros at both ends the
values near the border change.

:source: Perez Jensen (2025), Deep Learning, Section 4.1, Lemma 4.5; Lucchi (2025), Foundations of
    Deep Learning, Section 10.1.1.
:kind: theorem
:cost: instant
:covers: convolution-shift-equivariance
:erratum: [typo] The proof of Lemma 4.5 inserts f(t - delta) and substitutes v = t - delta; with
    f_delta(t) = f(t + delta) it is v = t + delta. The result is right.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.approximation.convolution import convolve
from corollary.theory.architectures.sliding import convolution


class Given(NamedTuple):
    """A signal, a kernel, and what is beyond the ends of the signal."""

    f: Float[Tensor, " n"]
    h: Float[Tensor, " m"]
    circular: bool

    def output(self, f: Tensor) -> Tensor:
        """The convolution with h, as long as f."""
        if self.circular:
            return convolve(f, self.h, method="direct", mode="circular")
        return convolution(f, self.h, "same")


@dataclass(frozen=True)
class ShiftEquivariance(Claim[Given]):
    """A shifted signal through the filter against the shifted output."""

    n: int = option(40, low=8, high=2000)  # length of the signal
    m: int = option(5, low=2, high=8)  # length of the kernel
    delta: int = option(7, low=1, high=2000)  # shift
    relation = equals(ulps=64, scale=1.0)  # sums of m products, added in another order

    def given(self, rng: Generator) -> Given:
        """A rough signal and a kernel with no symmetry."""
        f = torch.randn(self.n, generator=rng, dtype=torch.float64)
        h = 0.2 + torch.rand(self.m, generator=rng, dtype=torch.float64)
        return Given(f, h / h.sum(), True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No border."""
        yield Hypothesis("the ends of the signal meet: circular padding", given.circular)

    def predict(self, given: Given) -> list[float]:
        """The output, shifted."""
        return given.output(given.f).roll(-self.delta).tolist()

    def measure(self, given: Given) -> list[float]:
        """The output of the shifted signal."""
        return given.output(given.f.roll(-self.delta)).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Zeros beyond the ends."""
        return self.given(rng)._replace(circular=False)

    def figure(self, given: Given) -> Figure:
        """Signal and outputs; with zero padding too."""
        zeros = self.measure(given._replace(circular=False))
        marks = (
            Curve(given.f, label="f", role="other", dashed=True),
            Curve(self.predict(given), label="f ∗ h, shifted by δ", role="predicted"),
            Points(list(range(len(given.f))), self.measure(given), label="f shifted by δ, ∗ h"),
            Points(list(range(len(zeros))), zeros, label="the same with zero padding",
                   role="other"),
        )  # fmt: skip
        return Figure(f"Shift by δ = {self.delta}, then filter", x="t", y="value", marks=marks)
