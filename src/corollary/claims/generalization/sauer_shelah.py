r"""The Sauer-Shelah lemma.

A class of VC dimension h has on n points at most

.. math:: S_{\mathcal F}(n)\le\sum_{i=0}^h\binom ni\le\Bigl(\frac{en}h\Bigr)^h\quad(n\ge h)

labelings. The sum is :math:`2^n` for :math:`n\le h` and of order :math:`n^h` beyond: polynomial or
everything, nothing in between. Intervals attain it.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 61; Sauer (1972), "On the density of
    families of sets"; Shelah (1972), "A combinatorial problem".
:kind: bound
:covers: sauer-shelah
:erratum: [wrong] The remark after Lemma 61 says that the first bound grows faster than
    exponentially in n before it becomes polynomial. It equals 2^n for n <= h and never exceeds it;
    for h = 2 it is 2, 4, 7, 11, 16, 22, ... against 2, 4, 8, 16, 32, 64.
"""

from typing import Literal, NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, below, normal, option
from corollary.theory.generalization.shattering import (
    Labelings,
    growth,
    half_spaces,
    intervals,
    rectangles,
    thresholds,
    unions_of_intervals,
)
from corollary.theory.generalization.vc import sauer_bound

CLASSES: dict[str, tuple[Labelings, int, int]] = {  # labelings, VC dimension, of points in R^d
    "thresholds": (thresholds, 1, 1),
    "intervals": (intervals, 2, 1),
    "half-planes": (half_spaces, 3, 2),
    "rectangles": (rectangles, 4, 2),
}


class Given(NamedTuple):
    labelings: Labelings  # the class
    h: int  # dimension the lemma is told
    x: Float[Tensor, "n d"]  # points


Family = Literal["thresholds", "intervals", "half-planes", "rectangles"]


class SauerShelah(Claim[Given]):
    family: Family = "intervals"  # the class of sets
    n: int = option(10, low=6, high=12)  # points

    relation = at_most()  # integers
    supposes = Suppose(
        "h + 1 of the points are not shattered",
        lambda g: below(growth(g.labelings, g.x[: g.h + 1]), 2 ** (g.h + 1) - 1),
        "The VC dimension of unions of two intervals is 4, not 2 as stated.",
        labelings=lambda _: unions_of_intervals,
        h=2,
        x=lambda g: g.x[:, :1],
    )
    symbols = "Σ C(n, i), i ≤ h", "labelings S(n)"
    shows = Along("Labelings of n points", x="n", first=1, log="y")

    def given(self, rng: Generator) -> Given:
        labelings, h, d = CLASSES[self.family]
        return Given(labelings, h, normal(rng, self.n, d))

    def predict(self, given: Given) -> list[float]:
        return [float(sauer_bound(k, given.h)) for k in range(1, len(given.x) + 1)]

    def measure(self, given: Given) -> list[float]:
        return [float(growth(given.labelings, given.x[:k])) for k in range(1, len(given.x) + 1)]
