r"""Bernstein polynomials and the modulus of continuity.

For every f continuous on [0, 1], with
:math:`\omega(f,\delta)=\sup_{|x-y|\le\delta}|f(x)-f(y)|`,

.. math:: \|f-q_m\|_\infty\le\tfrac32\,\omega(f,m^{-1/2}).

For :math:`f=|x-1/2|` the modulus is :math:`\omega(f,\delta)=\delta` for :math:`\delta\le1/2`, and
the rate :math:`m^{-1/2}` is attained.

:source: Perez Jensen (2025), Deep Learning, Section 2.4, Theorem 2.4; Popoviciu (1935); Lorentz
    (1953), Bernstein Polynomials, Theorem 1.6.1.
:kind: bound
:cost: instant
:covers: bernstein-weierstrass
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.approximation.bernstein import bernstein, modulus_bound


class Given(NamedTuple):
    """A function with a bound of its modulus."""

    f: Callable[[Tensor], Tensor]
    omega: Callable[[float], float]


@dataclass(frozen=True)
class BernsteinModulus(Claim[Given]):
    """Sup errors at growing degree against the modulus of continuity."""

    degrees: tuple[int, ...] = (4, 16, 64, 256, 1024)  # degrees of the polynomials
    slope: float = option(1.0, low=0.1, high=10.0)  # slope on both sides of the kink
    relation = at_most(ulps=64)  # sums of m terms are rounded; the ratio is about a quarter

    def given(self, rng: Generator) -> Given:
        """A kink at 1/2."""
        s = self.slope
        return Given(lambda x: s * (x - 0.5).abs(), lambda delta: s * min(delta, 0.5))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The modulus, tested on pairs."""
        moved = [_moved(given.f, d) <= given.omega(d) * (1 + 1e-9) for d in (0.01, 0.1, 0.3)]
        yield Hypothesis("f has the modulus of continuity omega", all(moved))

    def predict(self, given: Given) -> list[float]:
        """Three halves of the modulus."""
        return [modulus_bound(given.omega(m**-0.5)) for m in self.degrees]

    def measure(self, given: Given) -> list[float]:
        """Sup errors on a grid that contains the kink."""
        x = torch.linspace(0, 1, 401, dtype=torch.float64)
        return [float((bernstein(given.f, m, x) - given.f(x)).abs().max()) for m in self.degrees]

    def counterexample(self, rng: Generator) -> Given:
        """A step with the modulus of the kink."""
        return self.given(rng)._replace(f=lambda x: (x >= 0.5).to(x.dtype))

    def figure(self, given: Given) -> Figure:
        """Errors and bound over the degree."""
        return Figure(
            "A kink costs the square root of the degree",
            x="m",
            y="‖f − q‖∞",
            log_x=True,
            log_y=True,
            marks=(
                Curve(self.predict(given), self.degrees, label="(3/2) ω(f, m⁻½)", role="predicted"),
                Points(self.degrees, self.measure(given), label="f = |x − 1/2|"),
            ),
        )


def _moved(f: Callable[[Tensor], Tensor], delta: float) -> float:
    x = torch.linspace(0, 1 - delta, 4001, dtype=torch.float64)
    return float((f(x + delta) - f(x)).abs().max())
