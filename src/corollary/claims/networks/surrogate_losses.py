r"""Surrogates bound the zero-one loss.

With the margin :math:`m=yf(x)`,

.. math:: 1[m\le0]\ \le\ \log_2(1+e^{-m}),\qquad 1[m\le0]\ \le\ \max(0,1-m),

so what one can differentiate bounds what one wants. The bounds rest on the value at margin 0: with
the natural logarithm the logistic loss is 0.69 there, and no bound.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 5; Bartlett, Jordan and McAuliffe
    (2006), "Convexity, classification, and risk bounds".
:kind: bound
:covers: zero-one-loss
"""

from math import e
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_least, option, uniform
from corollary.train.losses.zero_one import hinge_surrogate, log_surrogate, zero_one


class Given(NamedTuple):
    m: Float[Tensor, " k"]  # margins
    base: float  # of the logarithm
    margin: float  # at which the hinge loss becomes zero


class SurrogateLosses(Claim[Given]):
    k: int = option(50, low=3)  # margins of each sign
    reach: float = option(4.0, low=0.1, high=30.0)  # margins lie in [-reach, reach] and include 0

    relation = at_least(ulps=4)  # at margin 0 the logistic loss equals 1
    supposes = (
        Suppose(
            "the base of the logarithm is at most 2",
            lambda g: 2 - g.base + 1e-12,
            "With the natural logarithm, the loss at margin 0 is 0.69, below 1.",
            base=e,
        ),
        Suppose(
            "the margin of the hinge loss is at least 1",
            lambda g: g.margin - 1 + 1e-12,
            "The hinge loss with margin 1/2 is 0.5 at margin 0, below 1.",
            margin=0.5,
        ),
    )
    symbols = "1[m ≤ 0]", "surrogate"
    shows = Along("Losses of the margin", x="m = y f(x)", y="loss", at="m", parts=("log", "hinge"))

    def given(self, rng: Generator) -> Given:
        half = self.reach * uniform(rng, self.k)
        return Given(torch.cat([-half, half.new_zeros(1), half]).sort().values, 2.0, 1.0)

    def predict(self, given: Given) -> Tensor:
        right = (given.m > 0).long()
        return zero_one(right, torch.ones_like(right), reduction="none").repeat(2)

    def measure(self, given: Given) -> Tensor:
        logistic = log_surrogate(given.m, base=given.base)
        return torch.cat([logistic, hinge_surrogate(given.m, margin=given.margin)])
