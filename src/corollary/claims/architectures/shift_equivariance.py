r"""Convolution is shift equivariant.

With :math:`f_\delta(t)=f(t+\delta)`

.. math:: f_\delta*h=(f*h)_\delta .

On finite signals this is exact if the ends meet (circular padding). With zeros at both ends the
values near the border change.

:source: Perez Jensen (2025), Deep Learning, Section 4.1, Lemma 4.5; Lucchi (2025), Foundations of
    Deep Learning, Section 10.1.1.
:kind: theorem
:covers: convolution-shift-equivariance
:scale-free: both sides are the same filter, before and after the shift.
:erratum: [typo] The proof of Lemma 4.5 inserts f(t - delta) and substitutes v = t - delta; with
    f_delta(t) = f(t + delta) it is v = t + delta. The result is right.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, normal, option, uniform
from corollary.theory.approximation.convolution import convolve
from corollary.theory.architectures.sliding import convolution


class Given(NamedTuple):
    """A signal, and a filter that gives a signal of the same length."""

    f: Float[Tensor, " n"]
    h: Float[Tensor, " m"]
    filter: Callable[[Tensor, Tensor], Tensor]


def circular(f: Tensor, h: Tensor) -> Tensor:
    """The convolution on a ring: the ends of the signal meet."""
    return convolve(f, h, method="direct", mode="circular")


def ends_meet(given: Given) -> tuple[bool, str]:
    """Whether an impulse at the end is answered as much as one in the middle."""
    n = len(given.f)
    middle, end = torch.eye(n, dtype=torch.float64)[[n // 2, n - 1]]
    return near(given.filter(end, given.h).sum(), float(given.filter(middle, given.h).sum()))


class ShiftEquivariance(Claim[Given]):
    n: int = option(40, low=8, high=2000)  # length of the signal
    m: int = option(5, low=2, high=8)  # length of the kernel
    delta: int = option(7, low=1, high=2000)  # shift

    relation = equals(ulps=64, scale=1.0)  # sums of m products, added in another order
    supposes = Suppose(
        "the ends of the signal meet: circular padding",
        ends_meet,
        "With zero padding, values that are shifted over the border are lost.",
        filter=lambda g: lambda f, h: convolution(f, h, "same"),
    )
    symbols = "f ∗ h, shifted by δ", "f shifted by δ, ∗ h"
    shows = Along("Shift, then filter", x="t", y="value")

    def given(self, rng: Generator) -> Given:
        h = 0.2 + uniform(rng, self.m)
        return Given(normal(rng, self.n), h / h.sum(), circular)

    def predict(self, given: Given) -> Tensor:
        return given.filter(given.f, given.h).roll(-self.delta)

    def measure(self, given: Given) -> Tensor:
        return given.filter(given.f.roll(-self.delta), given.h)
