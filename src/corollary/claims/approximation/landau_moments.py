r"""Moments of the Landau kernel.

.. math:: J_n=\int_{-1}^1(1-u^2)^n\,du=\frac{2^{2n+1}(n!)^2}{(2n+1)!},\qquad
   \int_{-1}^1u^2(1-u^2)^n\,du=\frac{J_{n+1}}{2(n+1)}

and :math:`J_{n+1}<J_n`: the kernel :math:`(1-u^2)^n/J_n` has variance at most
:math:`1/(2(n+1))`, so it concentrates at 0.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.5, Problem 1 d; Landau (1908).
:kind: identity
:covers: landau-integral-identity
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Generator

from corollary.core import Claim, Curve, Marks, Suppose, Trial, equals, option, picture
from corollary.theory.approximation.landau import landau_constant, landau_second_moment


class Given(NamedTuple):
    orders: tuple[int, ...]  # of the kernel
    end: float  # of the interval of integration


class LandauMoments(Claim[Given]):
    largest: int = option(50, low=5, high=200)  # largest order
    count: int = option(8, low=1, high=50)  # orders that are drawn

    relation = equals(ulps=2**14)  # log-gamma of 2n + 2, and a Gauss rule that is exact
    supposes = (
        Suppose(
            "the integrals run from -1 to 1",
            lambda g: g.end == 1.0,
            "The integral over half of the interval misses a part of the mass.",
            end=0.5,
        ),
        Suppose("no order is negative", lambda g: min(g.orders) >= 0),
    )
    symbols = "closed forms", "integrals"

    def given(self, rng: Generator) -> Given:
        drawn = torch.randint(1, self.largest + 1, (self.count,), generator=rng).tolist()
        return Given((0, *drawn), 1.0)

    def predict(self, given: Given) -> list[float]:
        return [m(n) for m in (landau_constant, landau_second_moment) for n in given.orders]

    def measure(self, given: Given) -> list[float]:
        def integral(power: int, n: int) -> float:
            t, w = np.polynomial.legendre.leggauss(n + 2)  # exact for this degree
            u = given.end * t
            return float(given.end * np.sum(w * u**power * (1 - u**2) ** n))

        return [integral(power, n) for power in (0, 2) for n in given.orders]

    @picture("The Landau kernel", x="u", y="(1 − u²)ⁿ / J")
    def marks(self, trial: Trial[Given]) -> Marks:
        u = torch.linspace(-1, 1, 401, dtype=torch.float64)
        for n in (1, 4, 16, 64):
            yield Curve((1 - u**2) ** n / landau_constant(n), u, label=f"n = {n}")
