r"""Convolution is commutative.

.. math:: (f*h)[u]=\sum_th[t]\,f[u-t]=\sum_vf[v]\,h[u-v]=(h*f)[u]

by :math:`v=u-t`, for all values where the two meet (mode full). Correlation is not commutative:
changing places turns it round.

:source: Perez Jensen (2025), Deep Learning, Section 4.1, Lemma 4.4; Lucchi (2025), Foundations of
    Deep Learning, Section 10.1.1.
:kind: theorem
:covers: convolution-commutative
:scale-free: both sides are the same product, in two orders.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, normal, option, uniform
from corollary.theory.architectures.sliding import convolution, correlation


class Given(NamedTuple):
    """Two signals, and how they are combined."""

    f: Float[Tensor, " n"]
    h: Float[Tensor, " m"]
    product: Callable[[Tensor, Tensor], Tensor]


def spectra_multiply(given: Given) -> tuple[bool, str]:
    """Whether the transform of the product is the product of the transforms."""
    n = len(given.f) + len(given.h) - 1
    f, h, both = (torch.fft.rfft(v, n) for v in (given.f, given.h, given.product(given.f, given.h)))
    return near(torch.view_as_real(both - f * h), 0.0)


class ConvolutionCommutes(Claim[Given]):
    n: int = option(30, low=2, high=2000)  # length of the first
    m: int = option(9, low=2, high=2000)  # length of the second

    relation = equals(ulps=256, scale=1.0)  # the same products, added in another order
    supposes = Suppose(
        "the product is the convolution: spectra multiply",
        spectra_multiply,
        "Correlation does not flip the kernel, so exchanging the two signals reverses the result.",
        product=lambda g: lambda f, h: correlation(h, f, "full"),
    )
    symbols = "f ∗ h", "h ∗ f"
    shows = Along("Convolution and correlation in both orders", x="u", y="value")

    def given(self, rng: Generator) -> Given:
        h = uniform(rng, self.m)
        return Given(normal(rng, self.n), h / h.sum(), convolution)

    def predict(self, given: Given) -> Tensor:
        return given.product(given.f, given.h)

    def measure(self, given: Given) -> Tensor:
        return given.product(given.h, given.f)
