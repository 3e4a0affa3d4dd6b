r"""Surrogates bound the zero-one loss.

With the margin :math:`m=yf(x)`,

.. math:: 1[m\le0]\ \le\ \log_2(1+e^{-m}),\qquad 1[m\le0]\ \le\ \max(0,1-m),

so what one can differentiate bounds what one wants. The bounds rest on the value at margin 0: with
the natural logarithm the logistic loss is 0.69 there, and no bound.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 5; Bartlett, Jordan and McAuliffe
    (2006), "Convexity, classification, and risk bounds".
:kind: bound
:cost: instant
:covers: zero-one-loss
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_least, option
from corollary.train.losses.zero_one import hinge_surrogate, log_surrogate, zero_one_of_margin


class Given(NamedTuple):
    """Margins and the two surrogates."""

    m: Float[Tensor, " k"]
    base: float  # of the logarithm
    margin: float  # at which the hinge loss becomes zero

    def surrogates(self) -> tuple[Tensor, Tensor]:
        """Both at each margin."""
        return log_surrogate(self.m, base=self.base), hinge_surrogate(self.m, margin=self.margin)


class SurrogateLosses(Claim[Given]):
    k: int = option(401, low=3)  # margins of each sign
    reach: float = option(4.0, low=0.1, high=30.0)  # they lie in [-reach, reach], 0 among them
    relation = at_least(ulps=4)  # at margin 0 the logistic loss equals 1

    def given(self, rng: Generator) -> Given:
        """Random margins of both signs, and 0."""
        half = self.reach * torch.rand(self.k, generator=rng, device=rng.device).double()
        return Given(torch.cat([-half, half.new_zeros(1), half]).sort().values, 2.0, 1.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The value at 0 is at least 1; from there both only grow to the left."""
        yield Hypothesis("the base of the logarithm is at most 2", given.base <= 2)
        yield Hypothesis("the margin of the hinge loss is at least 1", given.margin >= 1)

    def predict(self, given: Given) -> list[float]:
        """The zero-one loss, once for each surrogate."""
        return zero_one_of_margin(given.m).repeat(2).tolist()

    def measure(self, given: Given) -> list[float]:
        """Both surrogates."""
        return torch.cat(given.surrogates()).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The natural logarithm."""
        return self.given(rng)._replace(base=math.e)

    def figure(self, given: Given) -> Figure:
        """All over the margin."""
        m = given.m
        logistic, hinge = given.surrogates()
        natural = log_surrogate(m, base=math.e)
        marks = (
            Curve(zero_one_of_margin(m), x=m, label="zero-one", role="predicted"),
            Curve(logistic, x=m, label="log₂(1 + e⁻ᵐ)"),
            Curve(hinge, x=m, label="max(0, 1 − m)"),
            Curve(natural, x=m, label="ln(1 + e⁻ᵐ)", role="other", dashed=True),
        )
        return Figure("Losses of the margin", x="m = y f(x)", y="loss", marks=marks)
