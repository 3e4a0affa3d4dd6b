r"""Polynomial interpolation at Chebyshev points, with degrees 2, 3, 6 and 20.

Weierstrass: every continuous function on an interval is a uniform limit of polynomials. Seen on
Runge's function :math:`f(x)=1/(1+25x^2)` on [-1, 1]: the polynomial :math:`p_n` through f at the
n + 1 Chebyshev points :math:`x_k=\cos(k\pi/n)` has, with :math:`\omega(x)=\prod_k(x-x_k)`,

.. math:: |f(x)-p_n(x)|=f(x)\,\Bigl|\frac{\omega(x)}{\omega(i/5)}\Bigr|\,(5|x|)^{[n\text{ even}]}
   =O(\varrho^{-n}),\qquad\varrho=\frac{1+\sqrt{26}}5,

because f has its poles at :math:`\pm i/5` only. At equispaced points the same recipe diverges.

:source: Mathematical Foundations of Deep Learning (slides), Universal Approximation Theorem, 2nd,
    3rd, 6th and 20th degree; Trefethen (2013), Approximation Theory and Approximation Practice,
    Theorems 8.2 and 11.1 (Hermite's formula); Runge (1901).
:kind: experiment
:covers: polynomial-fit-figure
:erratum: [notation] The slide calls the statement for an interval the Stone-Weierstrass theorem. It
    is Weierstrass' theorem, a special case of Stone's theorem on algebras of functions that
    separate points. The mathematics on the slide is right.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Curve, Kept, Marks, Suppose, Trial, equals, picture
from corollary.theory.approximation.polynomials import interpolant, nodes, runge, runge_remainder

GRID = torch.linspace(-1, 1, 2001, dtype=torch.float64)


class Given(NamedTuple):
    nodes: Callable[[int], Tensor]  # at which the polynomial of degree n meets the function


class PolynomialFits(Claim[Given]):
    degrees: tuple[int, ...] = (2, 3, 6, 20)  # degrees of the polynomials

    relation = equals(ulps=2**12)  # the interpolant is a quotient of sums of n terms
    supposes = Suppose(
        "the polynomial equals f at the Chebyshev points",
        lambda g: torch.allclose(g.nodes(6), -torch.cos(torch.pi * torch.arange(7).double() / 6)),
        "Interpolation at equispaced points diverges.",
        nodes=lambda g: partial(nodes, "equispaced"),
    )
    symbols = "max f |ω / ω(i/5)|", "‖f − p‖∞"
    rows = "n = {degrees}"
    shows = Along(
        "Sup error of interpolation at Chebyshev points", x="degree n", at="degrees", log="y"
    )

    def given(self, rng: Generator) -> Given:
        return Given(partial(nodes, "chebyshev"))

    def predict(self, given: Given) -> list[float]:
        return [float(runge_remainder(n, GRID).max()) for n in self.degrees]

    def measure(self, given: Given) -> Kept:
        fits = [interpolant(runge, given.nodes(n), GRID) for n in self.degrees]
        return Kept([float((p - runge(GRID)).abs().max()) for p in fits], fits=fits)

    @picture("Interpolating polynomials of growing degree", x="x", y="p(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        pairs = zip(self.degrees, trial.kept.fits, strict=True)
        yield Curve(runge(GRID), GRID, label="f", role="predicted")
        for n, p in pairs:
            yield Curve(p, GRID, label=f"degree {n}")
