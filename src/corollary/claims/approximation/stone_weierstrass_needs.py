r"""Each condition of Stone-Weierstrass is needed.

Four families on [0, 1], each of which breaks one condition, with a continuous target and a distance
below which no member comes:

.. math:: \inf_{g\in\mathcal{F}}\|f-g\|_\infty\ge\tfrac14,\ 1,\ \tfrac12,\ \tfrac18

for (i) polynomials in a map that swaps 0 and 1/2, target x (not continuous); (ii) polynomials that
vanish at 0, target 1; (iii) polynomials even about 1/2, target x (0 and 1 are not separated); (iv)
affine functions, target :math:`x^2` (not an algebra).

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.5, Problem 2 b.
:kind: counterexample
:covers: stone-weierstrass-counterexamples
"""

from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Kept, Suppose, Trial, at_least, option
from corollary.theory.approximation.distance import best_uniform
from corollary.theory.approximation.stone_weierstrass import (
    Obstruction,
    counterexamples,
    polynomials,
    stone_weierstrass_report,
)

EVEN = torch.linspace(0, 1, 201, dtype=torch.float64)
BESIDE = EVEN.new_tensor([0.5 - 1e-10, 0.5 + 1e-10, 1e-10])
GRID = torch.cat([EVEN, BESIDE]).sort().values[:, None]


class Given(NamedTuple):
    obstructions: tuple[Obstruction, ...]  # families with targets and distances


def everything(self: "StoneWeierstrassNeeds", given: Given) -> Given:
    """The family of all polynomials breaks no condition and approximates every target."""
    every = polynomials(1, self.degree)
    return Given(tuple(o._replace(family=every) for o in given.obstructions))


class StoneWeierstrassNeeds(Claim[Given]):
    degree: int = option(9, low=1, high=15)  # degree of the polynomials

    relation = at_least(ulps=2**22)  # beside 1/2 the polynomial has moved by its slope times 1e-10
    supposes = Suppose(
        "each family breaks exactly the stated condition",
        lambda g: all(
            stone_weierstrass_report(o.family, EVEN[::10, None]).broken == (o.broken,)
            for o in g.obstructions
        ),
        without=everything,
    )
    symbols = "distance that is proved", "best ‖f − g‖∞"
    rows = ("not continuous", "vanishes at 0", "0 and 1 not separated", "not an algebra")

    def given(self, rng: Generator) -> Given:
        return Given(counterexamples(self.degree))

    def predict(self, given: Given) -> list[float]:
        return [o.distance for o in given.obstructions]

    def measure(self, given: Given) -> Kept:
        errors, best = [], []
        for o in given.obstructions:
            A = torch.stack([o.family.value(t, GRID) for t in o.family.terms], 1)
            fit = best_uniform(A, o.target(GRID))
            errors.append(fit.error)
            best.append(A @ fit.coefficients)
        return Kept(errors, best=best)

    def figure(self, trial: Trial[Given]) -> tuple[Figure, ...]:
        return tuple(
            Figure(
                f"Not {o.broken}: {o.family.name}",
                x="x",
                y="f(x), g(x)",
                marks=(
                    Curve(o.target(GRID), GRID[:, 0], label="target f", role="predicted"),
                    Curve(best, GRID[:, 0], label="best member g"),
                ),
            )
            for o, best in zip(trial.given.obstructions, trial.kept.best, strict=True)
        )
