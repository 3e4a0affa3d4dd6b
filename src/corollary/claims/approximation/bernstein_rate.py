r"""How fast Bernstein polynomials converge.

For f with two continuous derivatives the error is
:math:`q_m(x)-f(x)=\frac{x(1-x)}{2m}f''(x)+o(1/m)` (Voronovskaya), for a kink it is larger:

.. math:: \|f-q_m\|_\infty\asymp m^{-1}\ (f\in C^2,\ f''\not\equiv0),\qquad
   \|f-q_m\|_\infty\asymp m^{-p/2}\ (f=|x-\tfrac12|^p,\ 0<p\le2).

At a jump there is no convergence.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.3, Theorem 17; Voronovskaya (1932);
    Lorentz (1953), Bernstein Polynomials, Section 1.6.
:kind: rate
:uses: bernstein_moments, taylor_remainder
:covers: bernstein-weierstrass
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, Sweep, option, slope
from corollary.theory.approximation.bernstein import bernstein


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]  # on [0, 1]


def largest(f: Callable[[Tensor], Tensor], order: int) -> float:
    """The largest difference of this order over steps of 1e-5."""
    return float(f(torch.linspace(0, 1, 100_001, dtype=torch.float64)).diff(order).abs().max())


class BernsteinRate(Claim[Given]):
    p: float = option(1.0, low=0.25, high=6.0)  # f is |x - 1/2|^p: a kink for p = 1
    degrees: tuple[int, ...] = (32, 64, 128, 256, 512)  # even degrees, at which 1/2 is a node

    relation = slope(gap=0.05)  # terms of higher order at the smallest degree
    supposes = (
        Suppose(
            "f is continuous",
            lambda g: 0.1 - largest(g.f, 1),
            "At a jump there is no convergence.",
            f=lambda g: lambda x: (x >= 0.5).to(x.dtype),
        ),
        Suppose(
            "f is not a straight line",
            lambda g: largest(g.f, 2) > 1e-10,
            "A straight line is equal to its Bernstein polynomial of every degree.",
            f=lambda g: lambda x: x,
        ),
    )
    symbols = "−min(p, 2)/2", "‖f − q‖∞"
    shows = (
        Over("Bernstein polynomials of |x − 1/2|^p", x="degree m"),
        Sweep(
            "The rate depends on the smoothness p", "p", (0.5, 1, 1.5, 2, 3), y="exponent", log=""
        ),
    )

    def given(self, rng: Generator) -> Given:
        return Given(lambda x: (x - 0.5).abs() ** self.p)

    def predict(self, given: Given) -> float:
        return -min(self.p, 2) / 2

    def measure(self, given: Given) -> Series:
        x = torch.linspace(0, 1, 401, dtype=torch.float64)
        errors = [bernstein(given.f, m, x) - given.f(x) for m in self.degrees]
        return Series(self.degrees, [float(e.abs().max()) for e in errors])
