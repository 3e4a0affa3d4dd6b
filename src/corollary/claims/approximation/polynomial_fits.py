r"""Polynomials of degree 2, 3, 6 and 20.

Weierstrass: every continuous function on an interval is a uniform limit of polynomials. Seen on
Runge's function :math:`f(x)=1/(1+25x^2)` on [-1, 1]: the polynomial :math:`p_n` through f at the
n + 1 Chebyshev points has

.. math:: \|f-p_n\|_\infty\le\min_{1<\varrho<\varrho_f}\frac{4M_\varrho\,\varrho^{-n}}{\varrho-1}

where :math:`M_\varrho` is the largest value of f in the ellipse with foci :math:`\pm1` and
semi-axes summing to :math:`\varrho`. At equispaced points the same recipe diverges.

:source: Mathematical Foundations of Deep Learning (slides), Universal Approximation Theorem, 2nd,
    3rd, 6th and 20th degree; Trefethen (2013), Approximation Theory and Approximation Practice,
    Theorem 8.2; Runge (1901).
:kind: experiment
:cost: instant
:covers: polynomial-fit-figure
:erratum: [notation] The slide calls the statement for an interval the Stone-Weierstrass theorem. It
    is Weierstrass' theorem, a special case of Stone's theorem on algebras of functions that
    separate points. The mathematics on the slide is right.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most
from corollary.theory.approximation.polynomials import Nodes, interpolant, nodes, runge, runge_bound

GRID = torch.linspace(-1, 1, 2001, dtype=torch.float64)


class Given(NamedTuple):
    """The points at which the polynomials meet the function."""

    kind: Nodes


@dataclass(frozen=True)
class PolynomialFits(Claim[Given]):
    """The sup error of polynomials through Chebyshev points, degree by degree."""

    degrees: tuple[int, ...] = (2, 3, 6, 20)  # degrees of the polynomials
    relation = at_most()  # no rounding matters: the bound is ten times larger or more

    def given(self, rng: Generator) -> Given:
        """Chebyshev points."""
        return Given("chebyshev")

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The points crowd at the ends."""
        same = all(
            torch.allclose(nodes(given.kind, n), nodes("chebyshev", n)) for n in self.degrees
        )
        yield Hypothesis("the polynomial meets f at the Chebyshev points", same)

    def predict(self, given: Given) -> list[float]:
        """The bound of the best ellipse, for every degree."""
        return [runge_bound(n) for n in self.degrees]

    def measure(self, given: Given) -> list[float]:
        """Sup errors on a grid."""
        return [_error(n, given.kind) for n in self.degrees]

    def counterexample(self, rng: Generator) -> Given:
        """Equispaced points."""
        return Given("equispaced")

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The fits themselves, and the errors over the degree."""
        fits = [Curve(interpolant(runge, n, GRID), GRID, label=f"degree {n}") for n in self.degrees]
        target = Curve(runge(GRID), GRID, label="f", role="predicted")
        drawn = Figure("Polynomials of growing degree", x="x", y="p(x)", marks=(target, *fits))
        degrees = list(range(2, 41, 2))
        errors = Figure(
            "Chebyshev points converge, equispaced ones do not",
            x="n",
            y="‖f − p‖∞",
            log_y=True,
            marks=(
                Curve([runge_bound(n) for n in degrees], degrees, label="bound", role="predicted"),
                Points(
                    degrees, [_error(n, "chebyshev") for n in degrees], label="Chebyshev points"
                ),
                Points(
                    degrees,
                    [_error(n, "equispaced") for n in degrees],
                    label="equispaced points",
                    role="other",
                ),
            ),
        )
        return drawn, errors


def _error(n: int, kind: Nodes) -> float:
    return float((interpolant(runge, n, GRID, kind) - runge(GRID)).abs().max())
