r"""The Sauer-Shelah lemma.

A class of VC dimension h has on n points at most

.. math:: S_{\mathcal F}(n)\le\sum_{i=0}^h\binom ni\le\Bigl(\frac{en}h\Bigr)^h\quad(n\ge h)

labelings. The sum is :math:`2^n` for :math:`n\le h` and of order :math:`n^h` beyond: polynomial or
everything, nothing in between. Intervals attain it.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 61; Sauer (1972), "On the density of
    families of sets"; Shelah (1972), "A combinatorial problem".
:kind: bound
:cost: instant
:covers: sauer-shelah
:erratum: [wrong] The remark after Lemma 61 says that the first bound grows faster than
    exponentially in n before it becomes polynomial. It equals 2^n for n <= h and never exceeds it;
    for h = 2 it is 2, 4, 7, 11, 16, 22, ... against 2, 4, 8, 16, 32, 64.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_most, option
from corollary.theory.generalization.shattering import (
    Labelings,
    growth,
    half_spaces,
    intervals,
    rectangles,
    thresholds,
    unions_of_intervals,
)
from corollary.theory.generalization.vc import sauer_bound, sauer_power

Name = Literal["thresholds", "intervals", "half-planes", "rectangles"]
CLASSES: dict[str, tuple[Labelings, int, int]] = {  # labelings, VC dimension, of points in R^d
    "thresholds": (thresholds, 1, 1),
    "intervals": (intervals, 2, 1),
    "half-planes": (half_spaces, 3, 2),
    "rectangles": (rectangles, 4, 2),
    "unions of two intervals": (unions_of_intervals, 4, 1),
}


class Given(NamedTuple):
    """A class by name, the dimension the lemma is told, and points."""

    name: str
    h: int
    x: Float[Tensor, "n d"]

    def counts(self) -> list[float]:
        """Labelings of the first 1, 2, ... points."""
        labelings = CLASSES[self.name][0]
        return [float(growth(labelings, self.x[:k])) for k in range(1, len(self.x) + 1)]


@dataclass(frozen=True)
class SauerShelah(Claim[Given]):
    """Labelings of a class against the sum of binomial coefficients."""

    family: Name = "intervals"  # the class of functions
    n: int = option(10, low=6, high=12)  # points
    relation = at_most()  # integers

    def given(self, rng: Generator) -> Given:
        """Gaussian points on the line or in the plane."""
        _, h, d = CLASSES[self.family]
        x = torch.randn(self.n, d, generator=rng, dtype=torch.float64)
        return Given(self.family, h, x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The dimension: on the first h + 1 points something is missing."""
        count = growth(CLASSES[given.name][0], given.x[: given.h + 1])
        yield Hypothesis(
            "h + 1 of the points are not shattered",
            count < 2 ** (given.h + 1),
            f"{count} labelings of {given.h + 1} points",
        )

    def predict(self, given: Given) -> list[float]:
        """The sum, for the first 1, 2, ... points."""
        return [float(sauer_bound(k, given.h)) for k in range(1, len(given.x) + 1)]

    def measure(self, given: Given) -> list[float]:
        """Labelings that are realised."""
        return given.counts()

    def counterexample(self, rng: Generator) -> Given:
        """Unions of two intervals, said to have dimension 2: it is 4."""
        x = torch.randn(self.n, 1, generator=rng, dtype=torch.float64)
        return Given("unions of two intervals", 2, x)

    def figure(self, given: Given) -> Figure:
        """Counts, the two bounds, and all labelings."""
        h, n = given.h, len(given.x)
        more = list(range(1, 2 * n))
        beyond = [k for k in more if k >= h]
        return Figure(
            f"Labelings of {given.name}, h = {h}",
            x="n",
            y="S(n)",
            log_y=True,
            marks=(
                Curve([2.0**k for k in more], more, label="2ⁿ", role="other", dashed=True),
                Curve([sauer_power(k, h) for k in beyond], beyond, label="(en/h)ʰ", role="other"),
                Curve([sauer_bound(k, h) for k in more], more, "Σ C(n, i), i ≤ h", "predicted"),
                Points(range(1, n + 1), given.counts(), label="enumerated"),
                Level(h, label="n = h", role="other", axis="x"),
            ),
        )
