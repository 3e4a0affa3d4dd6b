r"""The growth function of half-spaces.

The number of labelings of n points that half-spaces :math:`\langle w,x\rangle+b>0` of
:math:`\mathbb R^d` realise is at most :math:`2^n`, and for points in general position

.. math:: S_{\mathcal F}(n)=2\sum_{i=0}^d\binom{n-1}i,

in the plane 2, 4, 8, 14, 22, ... . It is :math:`2^n` up to :math:`n=d+1` and falls behind from
:math:`n=d+2` on, where it grows like :math:`n^d` only.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.3, Definition 27; Cover (1965),
    "Geometrical and statistical properties of systems of linear inequalities".
:kind: theorem
:cost: instant
:covers: growth-function
:erratum: [loose] The example says that for half-planes the trend 2^n does not continue "past 4
    points". It already stops at n = 4: 14 of 16 labelings are realised.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.connectionism.cover import in_general_position
from corollary.theory.connectionism.labelled import homogeneous
from corollary.theory.generalization.shattering import growth, half_space_growth, half_spaces


class Given(NamedTuple):
    """Points, of which the first 1, 2, ... are labelled."""

    x: Float[Tensor, "n d"]


@dataclass(frozen=True)
class GrowthFunction(Claim[Given]):
    """Labelings found one by one, against the formula."""

    n: int = option(7, low=2, high=9)  # points
    d: int = option(2, low=1, high=4)  # dimension
    relation = equals()  # integers

    def given(self, rng: Generator) -> Given:
        """Gaussian points."""
        return Given(torch.randn(self.n, self.d, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No d + 1 points on a common hyperplane."""
        yield Hypothesis(
            "the points are in general position", in_general_position(homogeneous(given.x))
        )

    def predict(self, given: Given) -> list[float]:
        """The formula for the first 1, 2, ... points."""
        n, d = given.x.shape
        return [float(half_space_growth(k, d)) for k in range(1, n + 1)]

    def measure(self, given: Given) -> list[float]:
        """Labelings realised."""
        return [float(growth(half_spaces, given.x[:k])) for k in range(1, len(given.x) + 1)]

    def counterexample(self, rng: Generator) -> Given:
        """All points on one line, where only two cuts matter."""
        x = self.given(rng).x
        along = torch.zeros_like(x)
        along[:, 0] = x[:, 0]
        if x.shape[1] == 1:  # on a line already: let two points coincide
            along[1] = along[0]
        return Given(along)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The count over n; and which of the 16 labelings of four points are missing."""
        n, d = given.x.shape
        sizes, more = list(range(1, n + 1)), list(range(1, 15))
        counts = Figure(
            f"Labelings by half-spaces in d = {d} dimensions",
            x="n",
            y="S(n)",
            log_y=True,
            marks=(
                Curve([2.0**k for k in more], more, label="2ⁿ", role="other", dashed=True),
                Curve([half_space_growth(k, d) for k in more], more, "2 Σ C(n−1, i)", "predicted"),
                Points(sizes, self.measure(given), label="enumerated"),
            ),
        )
        return counts, _four_points()


def _four_points() -> Figure:
    """Sixteen small squares; those that no line can cut are drawn in the other colour."""
    square = torch.tensor([[0.0, 0.0], [1.0, 0.1], [0.1, 1.0], [1.0, 1.0]], dtype=torch.float64)
    found = {tuple(row) for row in half_spaces(square).tolist()}
    groups: dict[str, list[tuple[float, float]]] = {"cut": [], "not": [], "minus": []}
    for k, labels in enumerate(product((False, True), repeat=4)):
        left, up = 3.0 * (k % 4), -3.0 * (k // 4)
        for (a, b), label in zip(square.tolist(), labels, strict=True):
            kind = ("cut" if labels in found else "not") if label else "minus"
            groups[kind].append((left + a, up + b))
    names = {"cut": "label 1", "not": "label 1, no half-plane does it", "minus": "label 0"}
    roles = {"cut": "measured", "not": "predicted", "minus": "other"}
    return Figure(
        "Four points in the plane: 14 of 16 labelings",
        x="x₁ of each copy",
        y="x₂ of each copy",
        equal=True,
        marks=tuple(
            Points([a for a, _ in p], [b for _, b in p], label=names[k], role=roles[k])
            for k, p in groups.items()
        ),
    )
