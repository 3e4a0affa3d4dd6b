r"""Moments of the Landau kernel.

.. math:: J_n=\int_{-1}^1(1-u^2)^n\,du=\frac{2^{2n+1}(n!)^2}{(2n+1)!},\qquad
   \int_{-1}^1u^2(1-u^2)^n\,du=\frac{J_{n+1}}{2(n+1)}

and :math:`J_{n+1}<J_n`: the kernel :math:`(1-u^2)^n/J_n` has variance at most
:math:`1/(2(n+1))`, so it concentrates at 0.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.5, Problem 1 d; Landau (1908).
:kind: identity
:cost: instant
:covers: landau-integral-identity
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.theory.approximation.landau import landau_constant, landau_second_moment


class Given(NamedTuple):
    """Orders of the kernel, and the end of the interval of integration."""

    orders: tuple[int, ...]
    end: float


@dataclass(frozen=True)
class LandauMoments(Claim[Given]):
    """Closed forms against quadrature."""

    largest: int = option(50, low=5, high=200)  # largest order
    count: int = option(8, low=1, high=50)  # orders that are drawn
    relation = equals(ulps=2**14)  # log-gamma of 2n + 2, and a Gauss rule that is exact

    def given(self, rng: Generator) -> Given:
        """Drawn orders, with 0 among them."""
        drawn = torch.randint(1, self.largest + 1, (self.count,), generator=rng).tolist()
        return Given((0, *drawn), 1.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The whole interval."""
        yield Hypothesis("the integrals run from -1 to 1", given.end == 1.0)
        yield Hypothesis("no order is negative", min(given.orders) >= 0)

    def predict(self, given: Given) -> list[float]:
        """The closed forms."""
        return [m(n) for m in (landau_constant, landau_second_moment) for n in given.orders]

    def measure(self, given: Given) -> list[float]:
        """A Gauss rule that is exact for the degree."""
        return [_integral(power, n, given.end) for power in (0, 2) for n in given.orders]

    def counterexample(self, rng: Generator) -> Given:
        """Half the interval."""
        return self.given(rng)._replace(end=0.5)

    def figure(self, given: Given) -> Figure:
        """The kernel becomes narrow."""
        u = torch.linspace(-1, 1, 401, dtype=torch.float64)
        curves = [
            Curve((1 - u**2) ** n / landau_constant(n), u, label=f"n = {n}") for n in (1, 4, 16, 64)
        ]
        return Figure("The Landau kernel", x="u", y="(1 − u²)ⁿ / J", marks=tuple(curves))


def _integral(power: int, n: int, end: float) -> float:
    t, w = np.polynomial.legendre.leggauss(n + 2)
    u = end * t
    return float(end * np.sum(w * u**power * (1 - u**2) ** n))
