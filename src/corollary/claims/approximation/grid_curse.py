r"""Curse of dimensionality on a grid: the number of units grows exponentially.

On :math:`[0,1]^d` the box construction reaches the :math:`L^1` error :math:`2\epsilon` for a
function that is :math:`\rho`-Lipschitz in :math:`\|\cdot\|_\infty` with

.. math:: (4d+1)\,\lceil\rho/\epsilon\rceil^d

units: the logarithm of the count is linear in d with slope :math:`\log(\rho/\epsilon)`. Barron's
networks need :math:`O(1/\epsilon^2)` units in every dimension, for functions with a finite Fourier
moment.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Remark 1 and Theorem 16; Barron
    (1993), Universal approximation bounds for superpositions of a sigmoidal function.
:kind: bound
:uses: grid_rate, three_layer_relu
:covers: curse-of-dimensionality-grid
:erratum: [typo] Remark 1 attributes the curse of dimensionality to Theorem 14, which is about one
    dimension; Theorem 16 is meant.
"""

from typing import NamedTuple

from torch import Generator

from corollary.core import Along, Claim, Suppose, equals, option
from corollary.data.waves import Wave, random_wave
from corollary.models.approximators.relu_boxes import relu_three_layer
from corollary.theory.approximation.grids import grid_units


class Given(NamedTuple):
    waves: tuple[Wave, ...]  # in growing dimension
    delta: float  # side of the cubes that is used for them


class GridCurse(Claim[Given]):
    rho: float = option(1.0, low=0.1, high=10.0)  # Lipschitz constant in the sup norm
    eps: float = option(0.2, low=0.1, high=1.0)  # half of the allowed error
    largest: int = option(5, low=1, high=5)  # largest dimension that is built

    relation = equals()  # units are counted
    supposes = (
        Suppose(
            "every g is rho-Lipschitz in the sup norm",
            lambda self, g: max(wave.lipschitz for wave in g.waves) <= self.rho * (1 + 1e-9),
        ),
        Suppose(
            "the cubes have side eps/rho",
            lambda self, g: abs(g.delta * self.rho - self.eps) <= 1e-12,
            "If the cubes are three times as large, fewer units are needed.",
            delta=lambda g: 3 * g.delta,
        ),
    )
    symbols = "(4d + 1)⌈ρ/ε⌉ᵈ", "units of the network"
    shows = Along(
        "The number of units on a grid grows with the dimension", x="dimension d", first=1, log="y"
    )

    def given(self, rng: Generator) -> Given:
        waves = tuple(random_wave(d, self.rho, rng=rng) for d in range(1, self.largest + 1))
        return Given(waves, self.eps / self.rho)

    def predict(self, given: Given) -> list[int]:
        return [grid_units(self.rho, self.eps, d + 1) for d in range(len(given.waves))]

    def measure(self, given: Given) -> list[int]:
        return [relu_three_layer(w, self.eps, given.delta, len(w.c)).units for w in given.waves]
