r"""Weierstrass by the Landau kernel.

Let f be continuous on [0, 1] with :math:`f(0)=f(1)=0`, :math:`|f|\le M`, and, extended by 0,
:math:`|f(x)-f(y)|\le\epsilon/2` for :math:`|x-y|\le\delta`. The polynomial
:math:`P_n(x)=J_n^{-1}\int_0^1f(t)[1-(t-x)^2]^n\,dt` of degree at most 2n satisfies on [0, 1]

.. math:: |P_n(x)-f(x)|\le\frac\epsilon2+\frac{M}{\delta^2(n+1)} .

Functions with other values at the ends are reduced to this case by subtracting their chord. For an
L-Lipschitz f every :math:`\delta` may be used with :math:`\epsilon=2L\delta`; the best one is
taken.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.5, Problem 1, (3.9)-(3.14) and
    Theorem 23; Landau (1908).
:kind: theorem
:cost: instant
:covers: landau-kernel-weierstrass
:erratum: [missing hypothesis] The exercise extends f by 0 outside (0, 1] and asks only for
    continuity on (-inf, 1], that is f(0) = 0. Without f(1) = 0 the conclusion (3.14) fails at
    x = 1: for f(t) = t (the counterexample here) P_400(1) = 0.486, tending to 1/2 and not to 1.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.approximation.landau import landau, landau_bound

GRID = torch.linspace(0, 1, 401, dtype=torch.float64)


class Given(NamedTuple):
    """A function on [0, 1] with its Lipschitz constant and a bound of its values."""

    f: Callable[[Tensor], Tensor]
    L: float
    M: float


@dataclass(frozen=True)
class LandauWeierstrass(Claim[Given]):
    """Sup errors of the Landau polynomials at growing order."""

    orders: tuple[int, ...] = (10, 40, 160, 640)  # orders n; the degree is at most 2n
    terms: int = option(3, low=1, high=10)  # sines in the drawn function
    relation = at_most(ulps=64)  # a Gauss rule on panels of the kernel's width

    def given(self, rng: Generator) -> Given:
        """Sines that vanish at both ends."""
        c = torch.randn(self.terms, generator=rng, dtype=torch.float64)
        j = torch.pi * torch.arange(1, self.terms + 1, dtype=torch.float64)

        def f(x: Tensor) -> Tensor:
            return torch.sin(x[:, None] * j) @ c

        return Given(f, float((c.abs() * j).sum()), float(f(GRID).abs().max()))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Zero at both ends, and as steep as stated."""
        ends = given.f(GRID[[0, -1]]).abs()
        steepest = float(torch.diff(given.f(GRID)).abs().max() * (len(GRID) - 1))
        yield Hypothesis("f vanishes at 0", bool(ends[0] <= 1e-9))
        yield Hypothesis("f vanishes at 1", bool(ends[1] <= 1e-9))
        yield Hypothesis("f is L-Lipschitz", steepest <= given.L * (1 + 1e-9))

    def predict(self, given: Given) -> list[float]:
        """The bound with the best pair of eps and delta."""
        deltas = [(2 * given.M / (given.L * (n + 1))) ** (1 / 3) for n in self.orders]
        return [
            landau_bound(2 * given.L * d, d, given.M, n)
            for d, n in zip(deltas, self.orders, strict=True)
        ]

    def measure(self, given: Given) -> list[float]:
        """Sup errors, nothing subtracted."""
        return [_error(given, n) for n in self.orders]

    def counterexample(self, rng: Generator) -> Given:
        """f(t) = t."""
        return Given(lambda x: x, 1.0, 1.0)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Errors over the order; and f(t) = t with and without its chord."""
        errors = Figure(
            "Landau polynomials converge",
            x="n",
            y="‖P − f‖∞",
            log_x=True,
            log_y=True,
            marks=(
                Curve(self.predict(given), self.orders, label="bound", role="predicted"),
                Points(self.orders, self.measure(given), label="error"),
            ),
        )
        ramp = [
            Curve(landau(lambda t: t, n, GRID, chord=False), GRID, label=f"n = {n}")
            for n in (10, 100, 400)
        ]
        target = Curve(GRID, GRID, label="f(t) = t", role="predicted")
        return errors, Figure(
            "Without f(1) = 0 half is lost at 1", x="x", y="P(x)", marks=(target, *ramp)
        )


def _error(given: Given, n: int) -> float:
    return float((landau(given.f, n, GRID, chord=False) - given.f(GRID)).abs().max())
