r"""Stone-Weierstrass.

A family of functions on :math:`[0,1]^d` that (i) is continuous, (ii) vanishes at no point, (iii)
separates points and (iv) is an algebra is dense in :math:`C([0,1]^d)`:

.. math:: \inf_{g\in\mathcal{F}}\|f-g\|_\infty=0\qquad\text{for every continuous }f .

Polynomials, cosine networks and exponential networks satisfy the four conditions. Their best
uniform error for a kink is computed by linear programming with more and more terms.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.5, Theorem 24; Stone (1948), The
    generalized Weierstrass approximation theorem.
:kind: theorem
:cost: instant
:covers: stone-weierstrass
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Series, converges
from corollary.theory.approximation.distance import best_uniform
from corollary.theory.approximation.stone_weierstrass import (
    Family,
    cosines,
    even_about_half,
    exponentials,
    polynomials,
    stone_weierstrass_report,
)

GRID = torch.linspace(0, 1, 201, dtype=torch.float64)[:, None]
DEGREES = (1, 2, 4, 8)


def _polynomials(degree: int) -> Family:
    return polynomials(1, degree)


def _cosines(degree: int) -> Family:
    return cosines(1, degree)


def _exponentials(degree: int) -> Family:
    return exponentials(1, degree)


FAMILIES = {"polynomials": _polynomials, "cosines": _cosines, "exponentials": _exponentials}


class Given(NamedTuple):
    """A family with as many terms as asked for, and the place of the kink."""

    family: Callable[[int], Family]
    kink: float


@dataclass(frozen=True)
class StoneWeierstrass(Claim[Given]):
    """The best uniform error for a kink as terms are added."""

    family: Literal["polynomials", "cosines", "exponentials"] = "polynomials"  # an algebra
    relation = converges(gap=0.04)  # the kink costs about 0.3/degree times half its jump of slope

    def given(self, rng: Generator) -> Given:
        """The family, and a kink away from the ends and from the middle."""
        kink = 0.3 + 0.1 * float(torch.rand(1, generator=rng, dtype=torch.float64))
        return Given(FAMILIES[self.family], kink)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The four conditions, checked on points."""
        found = stone_weierstrass_report(given.family(3), GRID[::10])
        yield Hypothesis("the family is continuous", found.continuous)
        yield Hypothesis("the family vanishes at no point", found.nowhere_vanishing)
        yield Hypothesis("the family separates points", found.point_separating)
        yield Hypothesis("the family is an algebra", found.algebra)

    def predict(self, given: Given) -> float:
        """The limit."""
        return 0.0

    def measure(self, given: Given) -> Series:
        """Best uniform errors on a grid."""
        return Series(DEGREES, [_error(given.family, d, given.kink) for d in DEGREES])

    def counterexample(self, rng: Generator) -> Given:
        """Polynomials that are even about 1/2 do not separate points."""
        return self.given(rng)._replace(family=even_about_half)

    def figure(self, given: Given) -> Figure:
        """Three algebras, and a family that does not separate points."""
        curves = [
            Curve([_error(f, d, given.kink) for d in DEGREES], DEGREES, label=name)
            for name, f in FAMILIES.items()
        ]
        even = [_error(even_about_half, d, given.kink) for d in DEGREES]
        return Figure(
            "Algebras that separate points come close",
            x="largest degree or frequency",
            y="best ‖f − g‖∞",
            log_x=True,
            log_y=True,
            marks=(*curves, Curve(even, DEGREES, label="even about 1/2", role="other")),
        )


@lru_cache(maxsize=64)
def _error(family: Callable[[int], Family], degree: int, kink: float) -> float:
    terms = family(degree)
    A = torch.stack([terms.value(t, GRID) for t in terms.terms], 1)
    y: Tensor = (GRID[:, 0] - kink).abs()
    return best_uniform(A, y).error
