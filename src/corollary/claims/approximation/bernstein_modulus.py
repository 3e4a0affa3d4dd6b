r"""Bernstein polynomials and the modulus of continuity.

For every f continuous on [0, 1], with
:math:`\omega(f,\delta)=\sup_{|x-y|\le\delta}|f(x)-f(y)|`,

.. math:: \|f-q_m\|_\infty\le\tfrac32\,\omega(f,m^{-1/2}).

For :math:`f=|x-1/2|` the modulus is :math:`\omega(f,\delta)=\delta` for :math:`\delta\le1/2`, and
the rate :math:`m^{-1/2}` is attained.

:source: Perez Jensen (2025), Deep Learning, Section 2.4, Theorem 2.4; Popoviciu (1935); Lorentz
    (1953), Bernstein Polynomials, Theorem 1.6.1.
:kind: bound
:uses: bernstein_moments
:covers: bernstein-weierstrass
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, option
from corollary.theory.approximation.bernstein import bernstein, modulus_bound


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]  # on [0, 1]
    omega: Callable[[float], float]  # bound of its modulus


def room(given: Given) -> float:
    """How far the modulus is above what f moves, at three distances, at the least."""
    gaps = []
    for delta in (0.01, 0.1, 0.3):
        x = torch.linspace(0, 1 - delta, 4001, dtype=torch.float64)
        moved = float((given.f(x + delta) - given.f(x)).abs().max())
        gaps.append(given.omega(delta) * (1 + 1e-9) - moved)
    return min(gaps)


class BernsteinModulus(Claim[Given]):
    degrees: tuple[int, ...] = (4, 16, 64, 256, 1024)  # degrees of the polynomials
    slope: float = option(1.0, low=0.1, high=10.0)  # slope on both sides of the kink

    relation = at_most(ulps=64)  # sums of m terms are rounded
    supposes = Suppose(
        "ω bounds the modulus of continuity of f",
        room,
        "A step function jumps, so no modulus of continuity bounds it.",
        f=lambda g: lambda x: (x >= 0.5).to(x.dtype),
    )
    symbols = "(3/2) ω(f, m^(-1/2))", "‖f − q‖∞"
    rows = "m = {degrees}"
    shows = Along(
        "Bernstein polynomials of a function with a kink", x="degree m", at="degrees", log="xy"
    )

    def given(self, rng: Generator) -> Given:
        s = self.slope
        return Given(lambda x: s * (x - 0.5).abs(), lambda delta: s * min(delta, 0.5))

    def predict(self, given: Given) -> list[float]:
        return [modulus_bound(given.omega(m**-0.5)) for m in self.degrees]

    def measure(self, given: Given) -> list[float]:
        x = torch.linspace(0, 1, 401, dtype=torch.float64)  # contains the kink
        return [float((bernstein(given.f, m, x) - given.f(x)).abs().max()) for m in self.degrees]

    def tight(self) -> Given:
        """A wave that vanishes at every node of the first degree."""
        k = self.degrees[0] * math.pi
        return Given(lambda x: torch.sin(k * x).square(), lambda delta: min(1.0, k * delta))
