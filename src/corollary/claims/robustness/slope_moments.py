r"""Which activations have tame slopes.

The concentration of input gradients needs
:math:`\mathbb E|\sigma'(Z)|^{2q}\le\frac{q!}2s^2c^{q-2}` for :math:`q\ge2`, Z standard normal. A
slope bounded by B has it with :math:`s^2=B^4,\ c=B^2`; so have ReLU (all moments are 1/2), tanh and
softplus. The square, whose slope 2z is not bounded, has it with :math:`s^2=48` and c = 8, since

.. math:: \mathbb E|2Z|^{2q}=4^q(2q-1)!!\le\frac{q!}2\,48\cdot8^{q-2}.

The exponential has it with no constants: its moments are :math:`e^{2q^2}`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.2, Assumption 5.
:kind: bound
:cost: instant
:covers: activation-moment-assumption
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.robustness.activation_moments import log_slope_moment, slope_constants


class Given(NamedTuple):
    """A slope, and constants that are said to bound its moments."""

    derivative: Callable[[Tensor], Tensor]
    s2: float
    c: float


class SlopeMoments(Claim[Given]):
    orders: int = option(16, low=2, high=30)  # moments from q = 2 on
    relation = at_most(ulps=2**14)  # quadrature; equality at q = 2

    def given(self, rng: Generator) -> Given:
        """The square."""
        return Given(lambda z: 2 * z, 48.0, 8.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Some constants bound all moments."""
        yield Hypothesis(
            "the moments grow no faster than factorials",
            slope_constants(given.derivative) is not None,
        )

    def predict(self, given: Given) -> list[float]:
        """The bound on moments, as their logarithms over q."""
        return [_log_bound(given, q) / q for q in self._orders()]

    def measure(self, given: Given) -> list[float]:
        """Logarithms of the moments, over q."""
        return [log_slope_moment(given.derivative, q) / q for q in self._orders()]

    def counterexample(self, rng: Generator) -> Given:
        """The exponential."""
        return Given(torch.exp, 48.0, 8.0)

    def figure(self, given: Given) -> Figure:
        """Growth of moments of several activations."""
        q = list(self._orders())
        slopes = {
            "relu": lambda z: (z > 0).double(),
            "tanh": lambda z: 1 - torch.tanh(z) ** 2,
            "softplus": torch.sigmoid,
            "exp": torch.exp,
        }
        others = [
            Curve([log_slope_moment(f, k) / k for k in q], q, label=name, role="other")
            for name, f in slopes.items()
        ]
        return Figure(
            "The exponential leaves every factorial bound",
            x="q",
            y="log E|σ′(Z)|^2q / q",
            marks=(
                Curve(self.predict(given), q, label="bound, s² = 48, c = 8", role="predicted"),
                Points(q, self.measure(given), label="square"),
                *others,
            ),
        )

    def _orders(self) -> range:
        return range(2, self.orders + 2)


def _log_bound(given: Given, q: int) -> float:
    return math.lgamma(q + 1) + math.log(given.s2 / 2) + (q - 2) * math.log(given.c)
