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
:uses: landau_moments, interval_change
:covers: landau-kernel-weierstrass
:erratum: [missing hypothesis] The exercise extends f by 0 outside (0, 1] and asks only for
    continuity on (-inf, 1], that is f(0) = 0. Without f(1) = 0 the conclusion (3.14) fails at
    x = 1: for f(t) = t (the counterexample here) P_400(1) = 0.486, tending to 1/2 and not to 1.
:loose: The proof bounds the tail of the kernel by its variance (Chebyshev), and the kernel is
    nearly Gaussian.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, normal, option
from corollary.theory.approximation.landau import landau, landau_bound

GRID = torch.linspace(0, 1, 401, dtype=torch.float64)


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]  # on [0, 1]
    L: float  # its Lipschitz constant
    M: float  # bound of its values


class LandauWeierstrass(Claim[Given]):
    orders: tuple[int, ...] = (10, 40, 160, 640)  # orders n; the degree is at most 2n
    terms: int = option(3, low=1, high=10)  # sines in the drawn function

    relation = at_most(ulps=64)  # a Gauss rule on panels of the kernel's width
    supposes = (
        Suppose(
            "f vanishes at 0",
            lambda g: abs(float(g.f(GRID[:1]))) < 1e-9,
            "For f(t) = 1 − t, the limit at 0 is f(0)/2.",
            f=lambda g: lambda x: 1 - x,
            L=1.0,
            M=1.0,
        ),
        Suppose(
            "f vanishes at 1",
            lambda g: abs(float(g.f(GRID[-1:]))) < 1e-9,
            "For f(t) = t, the limit at 1 is f(1)/2.",
            f=lambda g: lambda x: x,
            L=1.0,
            M=1.0,
        ),
        Suppose(
            "f is L-Lipschitz",
            lambda g: g.L * (1 + 1e-9) - g.f(GRID).diff().abs().max() * 400,
            "The function is 100 times as steep as L says.",
            L=lambda g: g.L / 100,
        ),
        Suppose(
            "|f| is at most M",
            lambda g: g.f(GRID).abs().max() <= g.M,
            "The function is 10⁴ times as large as M says.",
            M=lambda g: g.M / 1e4,
        ),
    )
    symbols = "ε/2 + M/(δ²(n + 1))", "‖P − f‖∞"
    rows = "n = {orders}"
    shows = Along("Landau polynomials converge", x="order n", at="orders", log="xy")

    def given(self, rng: Generator) -> Given:
        c = normal(rng, self.terms)
        j = torch.pi * torch.arange(1, self.terms + 1, dtype=torch.float64)

        def f(x: Tensor) -> Tensor:
            return torch.sin(x[:, None] * j) @ c

        return Given(f, float((c.abs() * j).sum()), float(f(GRID).abs().max()))

    def predict(self, given: Given) -> list[float]:
        def best(n: int) -> float:
            delta = (2 * given.M / (given.L * (n + 1))) ** (1 / 3)
            return landau_bound(2 * given.L * delta, delta, given.M, n)

        return [best(n) for n in self.orders]

    def measure(self, given: Given) -> list[float]:
        off = (landau(given.f, n, GRID, chord=False) - given.f(GRID) for n in self.orders)
        return [float(e.abs().max()) for e in off]
