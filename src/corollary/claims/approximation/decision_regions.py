r"""Sigmoid networks approximate decision regions outside a small set.

Let f be the decision function of a finite measurable partition of :math:`[0,1]^d`. For every
:math:`\epsilon>0` there are a sum :math:`G` of sigmoidal units and a set D of measure at least
:math:`1-\epsilon` with :math:`|G-f|<\epsilon` on D:

.. math:: \lambda\{x:|G(x)-f(x)|\ge\epsilon\}\le\epsilon .

The proof is followed: f is changed to a continuous function in a thin band about the boundary
(Lusin), and that function is approximated. On the whole cube the sup error stays at least 1/2.

:source: Mathematical Foundations of Deep Learning (slides), Universal Approximation Theorem,
    Theorem 3; Cybenko (1989), Approximation by superpositions of a sigmoidal function, Theorem 3.
:kind: theorem
:cost: instant
:covers: cybenko-decision-regions
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    HeatMap,
    Hypothesis,
    Level,
    at_most,
    generator,
    option,
)
from corollary.models.approximators.shallow import Superposition, fit_superposition
from corollary.theory.approximation.grids import box_grid

BAND = 0.03  # half width of the strip about the boundary in which f is made continuous
GRID = 120


class Given(NamedTuple):
    """A disc, the corner point of a checkerboard, an activation and a seed."""

    centre: tuple[float, float]
    radius: float
    corner: tuple[float, float]
    sigma: Callable[[Tensor], Tensor]
    seed: int


@dataclass(frozen=True)
class DecisionRegions(Claim[Given]):
    """The measure of the set where a sigmoid network misses a decision function."""

    eps: float = option(0.2, low=0.05, high=0.5)  # error, and measure of the set left out
    m: int = option(256, low=16, high=1000)  # hidden units
    relation = at_most()  # an area, counted on a grid; the bound is twice as large

    def given(self, rng: Generator) -> Given:
        """A disc and a board of four fields, drawn."""
        u = torch.rand(5, generator=rng, dtype=torch.float64).tolist()
        seed = int(torch.randint(2**31, (1,), generator=rng))
        centre, corner = (
            (0.45 + 0.1 * u[0], 0.45 + 0.1 * u[1]),
            (0.4 + 0.2 * u[2], 0.4 + 0.2 * u[3]),
        )
        return Given(centre, 0.25 + 0.1 * u[4], corner, torch.sigmoid, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A sigmoidal activation; the disc lies in the square."""
        ends = given.sigma(torch.tensor([-1e3, 1e3], dtype=torch.float64)).tolist()
        room = min(*given.centre, *(1 - c for c in given.centre))
        yield Hypothesis("the activation tends to 0 on the left and to 1 on the right",
                         ends == [0.0, 1.0])  # fmt: skip
        yield Hypothesis("the regions partition the square", room >= given.radius > 0)

    def predict(self, given: Given) -> list[float]:
        """At most eps of the square, for the disc and for the board."""
        return [self.eps] * 2

    def measure(self, given: Given) -> list[float]:
        """The part of the square where the network is off by eps or more."""
        return [_missed(self, given, self.m, which) for which in ("disc", "board")]

    def counterexample(self, rng: Generator) -> Given:
        """A quadratic activation."""
        return self.given(rng)._replace(sigma=torch.square)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The missed area over the width, and the network on the disc."""
        widths = sorted({16, 32, 64, 128, self.m})
        curves = [
            Curve([_missed(self, given, m, which) for m in widths], widths, label=which)
            for which in ("disc", "board")
        ]
        missed = Figure(
            "The set where the network misses shrinks",
            x="m",
            y="measure of {|G − f| ≥ ε}",
            log_x=True,
            marks=(*curves, Level(self.eps, label="ε")),
        )
        values = _network(given, self.m, "disc")(_middles()).detach().reshape(GRID, GRID)
        picture = HeatMap(values.T[::2, ::2], label="G")
        return missed, Figure(
            "A disc by sigmoid units", x="x₁", y="x₂", equal=True, marks=(picture,)
        )


def _missed(claim: DecisionRegions, given: Given, m: int, which: str) -> float:
    x = _middles()
    off = (_network(given, m, which)(x) - decision(given, which, x)).abs()
    return float((off >= claim.eps).to(x.dtype).mean())


def _middles() -> Tensor:
    return box_grid(2, GRID, 0.5 / GRID, 1 - 0.5 / GRID)


def decision(given: Given, which: str, x: Tensor) -> Tensor:
    """1 in the disc, or on the two fields of one colour."""
    return (_signed(given, which, x) > 0).to(x.dtype)


def _signed(given: Given, which: str, x: Tensor) -> Tensor:
    """Positive where the decision is 1; near the boundary in units of the band."""
    if which == "disc":
        distance = (x - x.new_tensor(given.centre)).norm(dim=1)
        return ((given.radius - distance) / BAND).clamp(-1, 1)
    return ((x - x.new_tensor(given.corner)) / BAND).clamp(-1, 1).prod(1)


@lru_cache(maxsize=16)
def _network(given: Given, m: int, which: str) -> Superposition:
    return fit_superposition(
        lambda x: (1 + _signed(given, which, x)) / 2,
        given.sigma, m, d=2, scale=40.0, points=2500, rng=generator(given.seed, which),
    )  # fmt: skip
