r"""Linear maps that commute with shifts are convolutions.

If T is linear on :math:`\mathbb{R}^{\mathbb{Z}_N}` and commutes with the shift, its response
:math:`h=T\mathbf e_0` to one impulse is all there is to know:

.. math:: Tf=f*h\quad\text{for all }f .

On the real line continuity is needed as well, and the kernel may be a distribution.

:source: Perez Jensen (2025), Deep Learning, Section 4.1, Theorem 4.6, whose proof is left open.
:kind: theorem
:uses: superposition
:covers: linear-shift-equivariant-is-convolution
:erratum: [missing hypothesis] Theorem 4.6 speaks of functions on the real line and asks neither for
    continuity of the map nor allows a generalised kernel. The kernel of the identity is the Dirac
    delta: on a grid of spacing a it is 1/a at zero, which grows without bound. On the ring of N
    places, as here, the theorem is right.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, near, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.theory.approximation.convolution import convolve
from corollary.theory.architectures.equivariance import kernel_of


class Given(NamedTuple):
    """A map and a signal."""

    T: Float[Tensor, "N N"]
    f: Float[Tensor, " N"]


class ImpulseResponse(Claim[Given]):
    N: int = option(32, low=4, high=500)  # places on the ring

    relation = equals(ulps=2**14, scale=1.0)  # T is made of two transforms of length N
    supposes = Suppose(
        "T commutes with the shift",
        lambda g: near(g.T.roll(1, 0), g.T.roll(-1, 1)),
        "A linear map that is stronger on the right has a different impulse response at each "
        "place.",
        T=lambda g: torch.linspace(1, 2, len(g.T), dtype=torch.float64)[:, None] * g.T,
    )
    symbols = "f ∗ h", "T f"

    def given(self, rng: Generator) -> Given:
        gain = normal(rng, self.N // 2 + 1) / torch.arange(1, self.N // 2 + 2)
        waves = torch.fft.rfft(torch.eye(self.N, dtype=torch.float64), dim=0)
        return Given(torch.fft.irfft(gain[:, None] * waves, self.N, dim=0), normal(rng, self.N))

    def predict(self, given: Given) -> Tensor:
        h = kernel_of(given.T, len(given.f)).h
        return convolve(given.f, h, method="direct", mode="circular")

    def measure(self, given: Given) -> Tensor:
        return given.T @ given.f

    @picture("The impulse response determines the map", x="place on the ring", y="value")
    def marks(self, trial: Trial[Given]) -> Marks:
        T, f = trial.given
        yield Curve(f, label="f", role="other", dashed=True)
        yield Curve(T[:, 0], label="h, the response to one impulse", role="other")
        yield Curve(trial.predicted, label="f ∗ h", role="predicted")
        yield Points(range(len(f)), trial.measured, label="T f")
