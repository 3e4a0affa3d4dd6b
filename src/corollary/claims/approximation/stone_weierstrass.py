r"""Stone-Weierstrass.

A family of functions on :math:`[0,1]^d` that (i) is continuous, (ii) vanishes at no point, (iii)
separates points and (iv) is an algebra is dense in :math:`C([0,1]^d)`:

.. math:: \inf_{g\in\mathcal{F}}\|f-g\|_\infty=0\qquad\text{for every continuous }f .

Polynomials, cosine networks and exponential networks satisfy the four conditions. Their best
uniform error for a kink is computed by linear programming with more and more terms.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.5, Theorem 24; Stone (1948), The
    generalized Weierstrass approximation theorem.
:kind: theorem
:uses: bernstein_weierstrass
:covers: stone-weierstrass
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Over, Series, Suppose, converges, instead, uniform
from corollary.theory.approximation.distance import best_uniform
from corollary.theory.approximation.stone_weierstrass import (
    Conditions,
    Family,
    cosines,
    counterexamples,
    exponentials,
    polynomials,
    stone_weierstrass_report,
)

GRID = torch.linspace(0, 1, 201, dtype=torch.float64)[:, None]
DEGREES = (1, 2, 4, 8)
FAMILIES = {"polynomials": polynomials, "cosines": cosines, "exponentials": exponentials}


class Given(NamedTuple):
    family: Callable[[int], Family]  # with as many terms as asked for
    kink: float  # its place


def conditions(given: Given) -> Conditions:
    """The four conditions, checked on points."""
    return stone_weierstrass_report(given.family(3), GRID[::10])


def without(condition: int, words: str) -> Callable[[Given], Given]:
    """A family that lacks this condition."""
    return instead(words, family=lambda g: lambda n: counterexamples(n)[condition].family)


swapped = without(0, "Polynomials of a discontinuous map that swaps 0 and 1/2 have jumps.")
vanishing = without(1, "Polynomials that vanish at 0 cannot approximate a target that does not.")
even = without(2, "Polynomials that are symmetric about 1/2 cannot approximate other functions.")
affine = without(3, "Affine functions cannot approximate a curved function.")


class StoneWeierstrass(Claim[Given]):
    family: Literal["polynomials", "cosines", "exponentials"] = "polynomials"  # an algebra

    relation = converges(gap=0.04)  # the kink costs about 0.3/degree times half its jump of slope
    supposes = (
        Suppose("the family is continuous", lambda g: conditions(g).continuous, without=swapped),
        Suppose(
            "the family vanishes at no point",
            lambda g: conditions(g).nowhere_vanishing,
            without=vanishing,
        ),
        Suppose(
            "the family separates points", lambda g: conditions(g).point_separating, without=even
        ),
        Suppose("the family is an algebra", lambda g: conditions(g).algebra, without=affine),
    )
    symbols = "0", "best ‖f − g‖∞"
    predicts = 0.0
    shows = Over(
        "Best approximation by algebras of growing degree",
        x="largest degree or frequency",
        log="xy",
    )

    def given(self, rng: Generator) -> Given:
        kink = 0.3 + 0.1 * float(uniform(rng, 1))
        return Given(lambda n: FAMILIES[self.family](1, n), kink)

    def measure(self, given: Given) -> Series:
        def error(degree: int) -> float:
            family, y = given.family(degree), (GRID[:, 0] - given.kink).abs()
            A = torch.stack([family.value(t, GRID) for t in family.terms], 1)
            return best_uniform(A, y).error

        return Series(DEGREES, [error(n) for n in DEGREES])
