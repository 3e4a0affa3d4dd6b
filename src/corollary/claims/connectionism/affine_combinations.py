r"""Affine maps keep affine combinations.

For :math:`f(x)=Ax+c` and any weights,

.. math:: \|f(\alpha x+\beta y)-\alpha f(x)-\beta f(y)\| = |1-\alpha-\beta|\,\|c\| ,

so the equation :math:`f(\alpha x+\beta y)=\alpha f(x)+\beta f(y)` holds for all points exactly when
:math:`\alpha+\beta=1`, and this characterises affine maps. No single constant can take the place
of the right-hand side.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.2.1 and footnote 1.
:kind: identity
:uses: superposition
:covers: affine-unit
:scale-free: the one function of theory tests the supposition; its answer is yes or no
:erratum: [wrong] Footnote 1 defines affine by f(a x + b' y) = a f(x) + b' f(y) + b for all a, b'
    with one constant b. Taking a = 1 and b' = 0 forces b = 0, so only linear maps satisfy it. The
    measured difference is |1 - a - b'| times the offset, from 0 to several offsets, not constant.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, generator, normal, option
from corollary.models.units import AffineUnit
from corollary.theory.connectionism.linearity import is_affine


class Given(NamedTuple):
    A: Float[Tensor, "m n"]  # matrix
    c: Float[Tensor, " m"]  # offset
    bend: float  # weight of |Ax| added to the map; 0 leaves it affine
    x: Float[Tensor, "k n"]  # points
    y: Float[Tensor, "k n"]  # points
    alpha: Float[Tensor, " k"]  # weights
    beta: Float[Tensor, " k"]  # weights

    @property
    def total(self) -> Tensor:
        """Sums of the weights."""
        return self.alpha + self.beta

    def f(self, x: Tensor) -> Tensor:
        """The map."""
        units = (AffineUnit.of(a, float(c)) for a, c in zip(self.A, self.c, strict=True))
        values = torch.stack([unit(x).detach() for unit in units], dim=-1)
        return values + self.bend * (x @ self.A.T).abs()


def keeps_affine_combinations(given: Given) -> tuple[bool, str]:
    """No witness against it is found."""
    answer = is_affine(given.f, given.x.shape[1], rng=generator(0, "affine"))
    return bool(answer), answer.sentence


class AffineCombinations(Claim[Given]):
    n: int = 5  # input dimension
    m: int = 4  # output dimension
    k: int = option(40, low=2)  # pairs of points and weights; every second pair has sum 1

    relation = equals(ulps=64, scale=10.0)  # sums of m terms of size about 10 that may cancel
    supposes = Suppose(
        "f keeps all combinations with α + β = 1",
        keeps_affine_combinations,
        "A map with a bend has a gap at weights with sum 1, too.",
        bend=1.0,
    )
    symbols = "|1 − α − β| ‖c‖", "‖f(αx + βy) − αf(x) − βf(y)‖"
    shows = Along("An affine map and its combinations", x="α + β", y="gap", at="total")

    def given(self, rng: Generator) -> Given:
        alpha, beta = normal(rng, self.k), normal(rng, self.k)
        beta[::2] = 1 - alpha[::2]
        order = (alpha + beta).argsort()
        A, c = normal(rng, self.m, self.n) / self.n**0.5, normal(rng, self.m)
        x, y = normal(rng, 2, self.k, self.n)
        return Given(A, c, 0.0, x, y, alpha[order], beta[order])

    def predict(self, given: Given) -> Tensor:
        return (1 - given.total).abs() * float(given.c.norm())

    def measure(self, given: Given) -> Tensor:
        a, b = given.alpha[:, None], given.beta[:, None]
        gap = given.f(a * given.x + b * given.y) - a * given.f(given.x) - b * given.f(given.y)
        return gap.square().sum(dim=1).sqrt()
