r"""Convolution is commutative.

.. math:: (f*h)[u]=\sum_th[t]\,f[u-t]=\sum_vf[v]\,h[u-v]=(h*f)[u]

by :math:`v=u-t`, for all values where the two meet (mode full). Correlation is not commutative:
changing places turns it round.

:source: Perez Jensen (2025), Deep Learning, Section 4.1, Lemma 4.4; Lucchi (2025), Foundations of
    Deep Learning, Section 10.1.1.
:kind: theorem
:cost: instant
:covers: convolution-commutative
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.architectures.sliding import convolution, correlation


class Given(NamedTuple):
    """Two signals, and how they are combined."""

    f: Float[Tensor, " n"]
    h: Float[Tensor, " m"]
    flip: bool  # convolution; otherwise correlation

    def combined(self, f: Tensor, h: Tensor) -> list[float]:
        """All values where f and h meet."""
        both = convolution(f, h) if self.flip else correlation(h, f, "full")
        return both.tolist()


@dataclass(frozen=True)
class ConvolutionCommutes(Claim[Given]):
    """Two signals in both orders."""

    n: int = option(30, low=2, high=2000)  # length of the first
    m: int = option(9, low=2, high=2000)  # length of the second
    relation = equals(ulps=256, scale=1.0)  # the same products, added in another order

    def given(self, rng: Generator) -> Given:
        """A rough signal, and one with weights of sum one."""
        f = torch.randn(self.n, generator=rng, dtype=torch.float64)
        h = torch.rand(self.m, generator=rng, dtype=torch.float64)
        return Given(f, h / h.sum(), True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The flip."""
        yield Hypothesis("the product is the convolution: one factor is flipped", given.flip)

    def predict(self, given: Given) -> list[float]:
        """With f first."""
        return given.combined(given.f, given.h)

    def measure(self, given: Given) -> list[float]:
        """With h first."""
        return given.combined(given.h, given.f)

    def counterexample(self, rng: Generator) -> Given:
        """Correlation."""
        return self.given(rng)._replace(flip=False)

    def figure(self, given: Given) -> Figure:
        """Both orders, and the correlation for comparison."""
        swapped = self.measure(given)
        places = list(range(len(swapped)))
        other = given._replace(flip=False)
        marks = (
            Curve(self.predict(given), label="f ∗ h", role="predicted"),
            Points(places, swapped, label="h ∗ f"),
            Curve(self.predict(other), label="h ⋆ f", role="other"),
            Curve(self.measure(other), label="f ⋆ h", role="other", dashed=True),
        )
        return Figure("Convolution and correlation in both orders", x="u", y="value", marks=marks)
