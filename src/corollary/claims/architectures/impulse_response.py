r"""Linear maps that commute with shifts are convolutions.

If T is linear on :math:`\mathbb{R}^{\mathbb{Z}_N}` and commutes with the shift, its response
:math:`h=T\mathbf e_0` to one impulse is all there is to know:

.. math:: Tf=f*h\quad\text{for all }f .

On the real line continuity is needed as well, and the kernel may be a distribution.

:source: Perez Jensen (2025), Deep Learning, Section 4.1, Theorem 4.6, whose proof is left open.
:kind: theorem
:cost: instant
:covers: linear-shift-equivariant-is-convolution
:erratum: [missing hypothesis] Theorem 4.6 speaks of functions on the real line and asks neither for
    continuity of the map nor allows a generalised kernel. The kernel of the identity is the Dirac
    delta: on a grid of spacing a it is 1/a at zero, which grows without bound. On the ring of N
    places, as here, the theorem is right.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.approximation.convolution import convolve
from corollary.theory.architectures.equivariance import kernel_of


class Given(NamedTuple):
    """A map and a signal."""

    T: Float[Tensor, "N N"]
    f: Float[Tensor, " N"]


@dataclass(frozen=True)
class ImpulseResponse(Claim[Given]):
    """The map itself against the convolution with its response to one impulse."""

    N: int = option(32, low=4, high=500)  # places on the ring
    relation = equals(ulps=2**14, scale=1.0)  # T is made of two transforms of length N

    def given(self, rng: Generator) -> Given:
        """Some gain at each frequency, which commutes with shifts, and a rough signal."""
        gain = torch.randn(self.N // 2 + 1, generator=rng, dtype=torch.float64)
        gain = gain / torch.arange(1, len(gain) + 1)
        waves = torch.fft.rfft(torch.eye(self.N, dtype=torch.float64), dim=0)
        T = torch.fft.irfft(gain[:, None] * waves, self.N, dim=0)
        return Given(T, torch.randn(self.N, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Shifts and the map."""
        T = given.T
        defect = float((T.roll(1, 0) - T.roll(-1, 1)).abs().max())  # S T and T S
        yield Hypothesis("T commutes with the shift", defect <= 1e-9, f"defect {defect:.1e}")

    def predict(self, given: Given) -> list[float]:
        """The signal convolved with the response."""
        h = kernel_of(given.T, len(given.f)).h
        return convolve(given.f, h, method="direct", mode="circular").tolist()

    def measure(self, given: Given) -> list[float]:
        """The map of the signal."""
        return (given.T @ given.f).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A linear map that is louder on the right."""
        T, f = self.given(rng)
        return Given(torch.linspace(1, 2, self.N, dtype=torch.float64)[:, None] * T, f)

    def figure(self, given: Given) -> Figure:
        """Signal, response and output."""
        marks = (
            Curve(given.f, label="f", role="other", dashed=True),
            Curve(given.T[:, 0], label="h, the response to one impulse", role="other"),
            Curve(self.predict(given), label="f ∗ h", role="predicted"),
            Points(list(range(len(given.f))), self.measure(given), label="T f"),
        )
        return Figure("One impulse tells all", x="place on the ring", y="value", marks=marks)
