r"""Affine maps keep affine combinations.

For :math:`f(x)=Ax+c` and any weights,

.. math:: \|f(\alpha x+\beta y)-\alpha f(x)-\beta f(y)\| = |1-\alpha-\beta|\,\|c\| ,

so the equation :math:`f(\alpha x+\beta y)=\alpha f(x)+\beta f(y)` holds for all points exactly when
:math:`\alpha+\beta=1`, and this characterises affine maps. No single constant can take the place
of the right-hand side.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.2.1 and footnote 1.
:kind: identity
:cost: instant
:covers: affine-unit
:erratum: [wrong] Footnote 1 defines affine by f(a x + b' y) = a f(x) + b' f(y) + b for all a, b'
    with one constant b. Taking a = 1 and b' = 0 forces b = 0, so only linear maps satisfy it. The
    measured difference is |1 - a - b'| times the offset, from 0 to several offsets, not constant.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, equals, option
from corollary.theory.connectionism.linearity import is_affine


class Given(NamedTuple):
    """An affine map, perhaps bent, and where to ask."""

    A: Float[Tensor, "m n"]  # matrix
    c: Float[Tensor, " m"]  # offset
    bend: float  # weight of |Ax| added to the map; 0 leaves it affine
    x: Float[Tensor, "k n"]  # points
    y: Float[Tensor, "k n"]  # points
    alpha: Float[Tensor, " k"]  # weights
    beta: Float[Tensor, " k"]  # weights
    seed: int  # of the test of the hypothesis

    def f(self, x: Tensor) -> Tensor:
        """The map."""
        z = x @ self.A.T
        return z + self.c + self.bend * z.abs()


@dataclass(frozen=True)
class AffineCombinations(Claim[Given]):
    """The gap of the superposition equation for an affine map."""

    n: int = 5  # input dimension
    m: int = 4  # output dimension
    k: int = option(40, low=2)  # pairs of points and weights; every second pair has sum 1
    relation = equals(ulps=64, scale=10.0)  # sums of m terms of size about 10 that may cancel

    def given(self, rng: Generator) -> Given:
        """A random affine map, points and weights."""

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, device=rng.device, dtype=torch.float64)

        alpha, beta = normal(self.k), normal(self.k)
        beta[::2] = 1 - alpha[::2]
        A, c = normal(self.m, self.n) / self.n**0.5, normal(self.m)
        x, y = normal(self.k, self.n), normal(self.k, self.n)
        seed = int(torch.randint(2**31, (), generator=rng, device=rng.device))
        return Given(A, c, 0.0, x, y, alpha, beta, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The map must be affine."""
        rng = torch.Generator(given.x.device).manual_seed(given.seed)
        answer = is_affine(given.f, given.x.shape[1], rng=rng)
        yield Hypothesis("f keeps all combinations with α + β = 1", bool(answer), answer.sentence)

    def predict(self, given: Given) -> list[float]:
        """The offset, times what the weights lack to 1."""
        return ((1 - given.alpha - given.beta).abs() * given.c.norm()).tolist()

    def measure(self, given: Given) -> list[float]:
        """The gap from values of the map alone."""
        a, b = given.alpha[:, None], given.beta[:, None]
        gap = given.f(a * given.x + b * given.y) - a * given.f(given.x) - b * given.f(given.y)
        return gap.norm(dim=1).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A map with a bend."""
        return self.given(rng)._replace(bend=1.0)

    def figure(self, given: Given) -> Figure:
        """The gap over the sum of the weights."""
        total = given.alpha + given.beta
        line = torch.linspace(float(total.min()), float(total.max()), 101, dtype=torch.float64)
        law = (1 - line).abs() * given.c.norm()
        marks = (
            Curve(law, x=line, label="|1 − α − β| ‖c‖", role="predicted"),
            Points(total, self.measure(given), label="‖f(αx + βy) − αf(x) − βf(y)‖"),
            Level(float(given.c.norm()), label="one constant, as in the footnote", role="other"),
        )
        return Figure("An affine map and its combinations", x="α + β", y="gap", marks=marks)
