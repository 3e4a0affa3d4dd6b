r"""Each condition of Stone-Weierstrass is needed.

Four families on [0, 1], each of which breaks one condition, with a continuous target and a distance
below which no member comes:

.. math:: \inf_{g\in\mathcal{F}}\|f-g\|_\infty\ge\tfrac14,\ 1,\ \tfrac12,\ \tfrac18

for (i) polynomials in a map that swaps 0 and 1/2, target x (not continuous); (ii) polynomials that
vanish at 0, target 1; (iii) polynomials even about 1/2, target x (0 and 1 are not separated); (iv)
affine functions, target :math:`x^2` (not an algebra).

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.5, Problem 2 b.
:kind: counterexample
:cost: instant
:covers: stone-weierstrass-counterexamples
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_least, option
from corollary.theory.approximation.distance import best_uniform
from corollary.theory.approximation.stone_weierstrass import (
    Obstruction,
    counterexamples,
    polynomials,
    stone_weierstrass_report,
)

NEAR = [0.5 - 1e-10, 0.5 + 1e-10, 1e-10]
GRID = torch.cat([torch.linspace(0, 1, 201, dtype=torch.float64), torch.tensor(NEAR).double()])
GRID = GRID.sort().values[:, None]


class Given(NamedTuple):
    """Families with targets and distances."""

    obstructions: tuple[Obstruction, ...]


@dataclass(frozen=True)
class StoneWeierstrassNeeds(Claim[Given]):
    """The best uniform error of four families against the distance that is proved."""

    degree: int = option(9, low=1, high=15)  # of the polynomials
    relation = at_least(ulps=2**22)  # beside 1/2 the polynomial has moved by its slope times 1e-10

    def given(self, rng: Generator) -> Given:
        """The four families."""
        return Given(counterexamples(self.degree))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Each family breaks its one condition."""
        points = torch.linspace(0, 1, 21, dtype=torch.float64)[:, None]
        named = all(
            stone_weierstrass_report(o.family, points).broken == (o.broken,)
            for o in given.obstructions
        )
        yield Hypothesis("each family breaks exactly the condition it is said to break", named)

    def predict(self, given: Given) -> list[float]:
        """Distances that are proved."""
        return [o.distance for o in given.obstructions]

    def measure(self, given: Given) -> list[float]:
        """The sup error of the best member that linear programming finds."""
        return [float((_best(o) - o.target(GRID)).abs().max()) for o in given.obstructions]

    def counterexample(self, rng: Generator) -> Given:
        """All polynomials: nothing is broken, and every target is reached."""
        every = polynomials(1, self.degree)
        return Given(tuple(o._replace(family=every) for o in counterexamples(self.degree)))

    def figure(self, given: Given) -> tuple[Figure, ...]:
        """Target and best member, family by family."""
        x = GRID[:, 0]
        return tuple(
            Figure(
                f"Not {o.broken}: {o.family.name}",
                x="x",
                y="f(x), g(x)",
                marks=(
                    Curve(o.target(GRID), x, label="target f", role="predicted"),
                    Curve(_best(o), x, label="best member g"),
                ),
            )
            for o in given.obstructions
        )


def _best(o: Obstruction) -> Tensor:
    A = torch.stack([o.family.value(t, GRID) for t in o.family.terms], 1)
    return A @ best_uniform(A, o.target(GRID)).coefficients
