r"""Correlation is convolution with the flipped kernel.

.. math:: (K\star I)[i,j]=\sum_{u,v}I[i+u,j+v]\,K[u,v]=(\bar K*I)[i,j],\qquad
   \bar K[u,v]=K[-u,-v]

Frameworks compute the left side and call it convolution. The two are the same only for kernels that
do not change when turned by 180 degrees.

:source: Perez Jensen (2025), Deep Learning, Section 4.1, Definition 4.8; Lucchi (2025), Foundations
    of Deep Learning, Sections 10.1.1 and 10.1.2.
:kind: identity
:covers: cross-correlation, conv2d-discrete
:erratum: [possible OCR artefact] Perez Jensen's remark shows h ⋆ f = h̄ ⋆ f, with the star on both
    sides; on the right it must be the convolution.
:erratum: [wrong] Lucchi's re-indexed formula for I * K sums I[i - u0 + u, j - v0 + v] K[u, v],
    without the flip: that is the correlation. The counterexample here is that formula, the kernel
    left as it is.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional

from corollary.core import Claim, Parity, Suppose, equals, normal, option
from corollary.theory.architectures.sliding import convolution, flipped


class Given(NamedTuple):
    """An image, the kernel that a framework is given, and the one to convolve with."""

    image: Float[Tensor, "n n"]
    K: Float[Tensor, "k k"]
    turned: Float[Tensor, "k k"]


class KernelFlip(Claim[Given]):
    n: int = option(12, low=2, high=200)  # side of the image
    k: int = option(3, low=2, high=9)  # side of the kernel

    relation = equals(ulps=256, scale=1.0)  # sums of k² products of size one
    supposes = Suppose(
        "the kernel is flipped along both axes",
        lambda g: torch.equal(g.turned, flipped(g.K)),
        "If the kernel is not flipped, as printed in the notes, the result is a different image.",
        turned=lambda g: g.K,
    )
    symbols = "I ∗ flipped K", "conv2d(I, K) of torch"
    shows = Parity("Convolution against conv2d of torch")

    def given(self, rng: Generator) -> Given:
        side, K = max(self.n, self.k), normal(rng, self.k, self.k)
        return Given(normal(rng, side, side), K, flipped(K))

    def predict(self, given: Given) -> Tensor:
        return convolution(given.image, given.turned, "valid").flatten()

    def measure(self, given: Given) -> Tensor:
        return functional.conv2d(given.image[None, None], given.K[None, None]).flatten()
