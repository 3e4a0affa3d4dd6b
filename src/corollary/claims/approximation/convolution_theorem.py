r"""The convolution theorem, with enough zero padding.

For signals of lengths n and m, padded with zeros to :math:`N\ge n+m-1`,

.. math:: g*h=\mathcal{F}_N^{-1}\bigl(\mathcal{F}_Ng\cdot\mathcal{F}_Nh\bigr),\qquad
   (g*h)_k=\sum_jg_j\,h_{k-j},

with the discrete transform :math:`\mathcal{F}_N` of length N, at a cost of :math:`O(N\log N)` in
place of :math:`nm`. With fewer zeros the end of the result wraps around to its beginning.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 25 and Section 10.1.3; Perez Jensen
    (2025), Deep Learning, Section 4.1.
:kind: identity
:covers: convolution-theorem
:erratum: [missing hypothesis] Section 10.1.3 writes f * h = F^{-1}(F f . F h) with F explicitly the
    DFT, without padding: that is the circular convolution. The counterexample here is the formula
    as printed.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, option, uniform
from corollary.theory.approximation.convolution import convolve


class Given(NamedTuple):
    g: Float[Tensor, " n"]  # signals
    h: Float[Tensor, " m"]
    N: int  # length of the transforms


class ConvolutionTheorem(Claim[Given]):
    n: int = option(24, low=2, high=4096)  # length of the signal
    m: int = option(7, low=2, high=4096)  # length of the filter

    relation = equals(ulps=2**14, scale=1.0)  # rounding of three transforms of signals of size one
    supposes = Suppose(
        "N is at least n + m - 1",
        lambda g: g.N - len(g.g) - len(g.h) + 2,
        "Without zero padding, the end of the signal wraps around to its start.",
        N=lambda g: max(len(g.g), len(g.h)),
    )
    symbols = "(g * h) at k", "product of transforms"
    shows = Along("Convolution by Fourier transforms", x="k")

    def given(self, rng: Generator) -> Given:
        g = uniform(rng, self.n)
        h = uniform(rng, self.m)
        return Given(g, h / h.sum(), self.n + self.m - 1)

    def predict(self, given: Given) -> Tensor:
        return convolve(given.g, given.h, method="direct")

    def measure(self, given: Given) -> Tensor:
        spectrum = torch.fft.rfft(given.g, given.N) * torch.fft.rfft(given.h, given.N)
        out = given.g.new_zeros(len(given.g) + len(given.h) - 1)
        found = torch.fft.irfft(spectrum, given.N)[: len(out)]
        out[: len(found)] = found
        return out
