r"""The growth function of half-spaces.

The number of labelings of n points that half-spaces :math:`\langle w,x\rangle+b>0` of
:math:`\mathbb R^d` realise is at most :math:`2^n`, and for points in general position

.. math:: S_{\mathcal F}(n)=2\sum_{i=0}^d\binom{n-1}i,

in the plane 2, 4, 8, 14, 22, ... . It is :math:`2^n` up to :math:`n=d+1` and falls behind from
:math:`n=d+2` on, where it grows like :math:`n^d` only.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.3, Definition 27; Cover (1965),
    "Geometrical and statistical properties of systems of linear inequalities".
:kind: theorem
:uses: cover_counting
:covers: growth-function
:erratum: [loose] The example says that for half-planes the trend 2^n does not continue "past 4
    points". It already stops at n = 4: 14 of 16 labelings are realised.
"""

from itertools import product
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Figure, Points, Role
from corollary.theory.connectionism.cover import in_general_position
from corollary.theory.connectionism.labelled import homogeneous
from corollary.theory.generalization.shattering import growth, half_space_growth, half_spaces


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points, of which the first 1, 2, ... are labelled


def on_a_line(given: Given) -> Given:
    """All points lie on one line, and two of them are equal."""
    along = torch.zeros_like(given.x)
    along[:, 0] = given.x[:, 0]
    along[1] = along[0]
    return Given(along)


class GrowthFunction(Claim[Given]):
    n: int = option(7, low=2, high=9)  # points
    d: int = option(2, low=1, high=4)  # dimension

    relation = equals()  # integers
    supposes = Suppose(
        "the points are in general position",
        lambda g: in_general_position(homogeneous(g.x)),
        without=on_a_line,
    )
    symbols = "2 Σ C(n−1, i)", "labelings enumerated"
    rows = tuple(f"n = {n}" for n in range(1, 8))

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, self.n, self.d))

    def predict(self, given: Given) -> list[float]:
        n, d = given.x.shape
        return [float(half_space_growth(k, d)) for k in range(1, n + 1)]

    def measure(self, given: Given) -> list[float]:
        return [float(growth(half_spaces, given.x[:k])) for k in range(1, len(given.x) + 1)]

    def figure(self, trial: Trial[Given]) -> tuple[Figure, Figure]:
        n, d = trial.given.x.shape
        sizes, more = range(1, n + 1), range(1, 15)
        line = [half_space_growth(k, d) for k in more]
        marks = [
            Curve([2.0**k for k in more], more, label="2ⁿ", role="other", dashed=True),
            Curve(line, more, label=self.symbols[0], role="predicted"),
            Points(sizes, trial.measured, label="enumerated"),
            *(Points(sizes, b.measured, "on a line", "other") for b in trial.without),
        ]
        title = f"Labelings by half-spaces in d = {d} dimensions"
        return Figure(title, x="n", y="S(n)", log_y=True, marks=tuple(marks)), _four_points()


def _four_points() -> Figure:
    """Sixteen small squares; those that no line can cut are drawn in the other colour."""
    square = torch.tensor([[0.0, 0.0], [1.0, 0.1], [0.1, 1.0], [1.0, 1.0]], dtype=torch.float64)
    found = {tuple(row) for row in half_spaces(square).tolist()}
    cut, missing, zero = "label 1", "label 1, no half-plane does it", "label 0"
    groups: dict[str, list[tuple[float, float]]] = {cut: [], missing: [], zero: []}
    for k, labels in enumerate(product((False, True), repeat=4)):
        left, up = 3.0 * (k % 4), -3.0 * (k // 4)
        for (a, b), label in zip(square.tolist(), labels, strict=True):
            kind = (cut if labels in found else missing) if label else zero
            groups[kind].append((left + a, up + b))
    roles: dict[str, Role] = {cut: "measured", missing: "predicted", zero: "other"}
    marks = tuple(
        Points([a for a, _ in p], [b for _, b in p], label=k, role=roles[k])
        for k, p in groups.items()
    )
    title = "Four points in the plane: 14 of 16 labelings"
    return Figure(title, x="x₁ of each copy", y="x₂ of each copy", equal=True, marks=marks)
