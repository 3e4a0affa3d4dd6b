r"""Moment condition for the slopes of activations: which activations satisfy it.

The concentration of input gradients needs
:math:`\mathbb E|\sigma'(Z)|^{2q}\le\frac{q!}2s^2c^{q-2}` for :math:`q\ge2`, Z standard normal. A
slope bounded by B has it with :math:`s^2=B^4,\ c=B^2`; so have ReLU (all moments are 1/2), tanh and
softplus. The square, whose slope 2z is not bounded, has it with :math:`s^2=48` and c = 8, since

.. math:: \mathbb E|2Z|^{2q}=4^q(2q-1)!!\le\frac{q!}2\,48\cdot8^{q-2}.

The exponential has it with no constants: its moments are :math:`e^{2q^2}`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.2, Assumption 5.
:kind: bound
:uses: polynomial_growth
:covers: activation-moment-assumption
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, option
from corollary.theory.robustness.activation_moments import log_slope_moment, slope_constants


class Given(NamedTuple):
    derivative: Callable[[Tensor], Tensor]
    s2: float  # constants that are said to bound the moments
    c: float


class SlopeMoments(Claim[Given]):
    orders: int = option(16, low=2, high=30)  # moments from q = 2 on

    relation = at_most(ulps=2**14)  # quadrature; equality at q = 2
    supposes = Suppose(
        "the moments grow no faster than factorials",
        lambda g: slope_constants(g.derivative) is not None,
        "The moments of the exponential grow faster than any factorial bound.",
        derivative=lambda g: torch.exp,
    )
    symbols = "log of the bound, divided by q", "log E|σ′(Z)|^2q, divided by q"
    shows = Along("Moments of the slope of the square, and of the exponential", x="q", first=2)

    def given(self, rng: Generator) -> Given:
        return Given(lambda z: 2 * z, 48.0, 8.0)  # the square

    def predict(self, given: Given) -> list[float]:
        _, s2, c = given
        return [
            (math.lgamma(q + 1) + math.log(s2 / 2) + (q - 2) * math.log(c)) / q
            for q in range(2, self.orders + 2)
        ]

    def measure(self, given: Given) -> list[float]:
        return [log_slope_moment(given.derivative, q) / q for q in range(2, self.orders + 2)]
