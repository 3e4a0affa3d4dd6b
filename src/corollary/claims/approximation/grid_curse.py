r"""The grid's curse of dimensionality.

On :math:`[0,1]^d` the box construction reaches the :math:`L^1` error :math:`2\epsilon` for a
function that is :math:`\rho`-Lipschitz in :math:`\|\cdot\|_\infty` with

.. math:: (4d+1)\,\lceil\rho/\epsilon\rceil^d

units: the logarithm of the count is linear in d with slope :math:`\log(\rho/\epsilon)`. Barron's
networks need :math:`O(1/\epsilon^2)` units in every dimension, for functions with a finite Fourier
moment.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Remark 1 and Theorem 16; Barron
    (1993), Universal approximation bounds for superpositions of a sigmoidal function.
:kind: bound
:cost: instant
:covers: curse-of-dimensionality-grid
:erratum: [typo] Remark 1 attributes the curse of dimensionality to Theorem 14, which is about one
    dimension; Theorem 16 is meant.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.waves import Wave, random_wave
from corollary.models.approximators.relu_boxes import relu_three_layer
from corollary.theory.approximation.grids import grid_units


class Given(NamedTuple):
    """Waves in growing dimension, and the side of the cubes that is used for them."""

    waves: tuple[Wave, ...]
    delta: float


@dataclass(frozen=True)
class GridCurse(Claim[Given]):
    """Units of the constructed networks, dimension by dimension."""

    rho: float = option(1.0, low=0.1, high=10.0)  # Lipschitz constant in the sup norm
    eps: float = option(0.2, low=0.1, high=1.0)  # half the error to keep
    largest: int = option(5, low=1, high=5)  # largest dimension that is built
    relation = equals()  # units are counted

    def given(self, rng: Generator) -> Given:
        """One wave a dimension, and cubes of side eps/rho."""
        waves = tuple(random_wave(d, self.rho, rng=rng) for d in range(1, self.largest + 1))
        return Given(waves, self.eps / self.rho)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The waves are as steep as stated, and the cubes as small as needed."""
        steepest = max(wave.lipschitz for wave in given.waves)
        yield Hypothesis("every g is rho-Lipschitz in the sup norm",
                         steepest <= self.rho * (1 + 1e-9))  # fmt: skip
        yield Hypothesis("the cubes have side eps/rho",
                         abs(given.delta * self.rho - self.eps) <= 1e-12)  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """The formula."""
        return [float(grid_units(self.rho, self.eps, d + 1)) for d in range(len(given.waves))]

    def measure(self, given: Given) -> list[float]:
        """Units of the networks that were built."""
        return [float(_units(wave, self.eps, given.delta)) for wave in given.waves]

    def counterexample(self, rng: Generator) -> Given:
        """Cubes three times too large: fewer units, and no promise."""
        given = self.given(rng)
        return given._replace(delta=3 * given.delta)

    def figure(self, given: Given) -> Figure:
        """The count over the dimension, beside a rate without dimension."""
        dimensions = list(range(1, 13))
        built = list(range(1, len(given.waves) + 1))
        counts = [float(grid_units(self.rho, self.eps, d)) for d in dimensions]
        return Figure(
            "A grid pays for every dimension",
            x="d",
            y="units",
            log_y=True,
            marks=(
                Curve(counts, dimensions, label="(4d + 1)⌈ρ/ε⌉ᵈ", role="predicted"),
                Points(built, self.measure(given), label="networks built"),
                Curve([(2 * self.rho / self.eps) ** 2] * 12, dimensions,
                      label="(2rC/ε)², Barron's rate with rC = ρ", role="other"),
            ),
        )  # fmt: skip


def _units(wave: Wave, eps: float, delta: float) -> int:
    return relu_three_layer(wave, eps, delta, len(wave.c)).units
