r"""Determinant as the area of a parallelogram, and the span of two vectors.

Two vectors :math:`v_1,v_2` of the plane, as columns of :math:`V`, span
:math:`\{Vc:c\in\mathbb{R}^2\}`. The part with :math:`c\in[0,1]^2` is the parallelogram on them, and

.. math:: \operatorname{area}\{Vc:c\in[0,1]^2\}=|\det V|,

which is 0 iff the vectors are linearly dependent, so that the span is a line or a point.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.1.1, Definition 1.
:kind: identity
:covers: span-column-space
:erratum: [typo] Both worked displays of the notes call the second column v_1 as well; it is v_2:
    0.5 (-3, 2) + 1 (2, 3) = (0.5, 4).
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Marks, Regions, Suppose, Trial, equals, normal, picture, scatter
from corollary.theory.prerequisites.span import column_space, parallelogram


class Given(NamedTuple):
    V: Float[Tensor, "n m 2"]  # each has its two vectors as columns


class ParallelogramArea(Claim[Given]):
    n: int = 20  # pairs of vectors

    relation = equals(ulps=2**12, scale=1.0)  # Heron's formula cancels for thin triangles
    supposes = Suppose(
        "the two vectors lie in the plane",
        lambda g: g.V.shape[1] == 2,
        "For two vectors in space, the first two coordinates give only a projection of the area.",
        lambda: Given(torch.tensor([[[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]], dtype=torch.float64)),
    )
    symbols = "|det V|, or 1 + (1 if it is not 0)", "area, or dimension of the span"

    def given(self, rng: Generator) -> Given:
        drawn = normal(rng, self.n, 2, 2)
        notes = drawn.new_tensor([[[-3.0, 2.0], [2.0, 3.0]], [[1.0, 2.0], [2.0, 4.0]]])
        return Given(torch.cat([notes, drawn]))

    def predict(self, given: Given) -> Tensor:
        a, b = given.V[:, 0], given.V[:, 1]
        det = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        return torch.cat([det.abs(), 1 + (det != 0).double()])

    def measure(self, given: Given) -> list[float]:
        areas = [_area(parallelogram(V)) for V in given.V]
        return areas + [float(column_space(V).square().sum()) for V in given.V]

    @picture("Independent vectors span the plane", x="(Vc)₁", y="(Vc)₂", equal=True)
    def independent(self, trial: Trial[Given]) -> Marks:
        yield from _spanned(trial.given.V[0])

    @picture("Dependent vectors span a line", x="(Vc)₁", y="(Vc)₂", equal=True)
    def dependent(self, trial: Trial[Given]) -> Marks:
        yield from _spanned(trial.given.V[1])


def _spanned(V: Float[Tensor, "2 2"]) -> Marks:
    c = torch.linspace(0, 1, 11, dtype=torch.float64)
    yield Regions([parallelogram(V)], label="{Vc : c in [0, 1]²}")
    yield scatter(torch.cartesian_prod(c, c) @ V.T, "Vc for c on a grid")
    yield scatter(V.T, "v₁ and v₂", "other")


def _area(corners: Tensor) -> float:
    """Twice a triangle by Heron's formula in Kahan's order, which keeps digits for thin ones."""
    sides = [corners[1] - corners[0], corners[2] - corners[1], corners[2] - corners[0]]
    c, b, a = sorted(float(s.norm()) for s in sides)
    product = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c))
    return 0.5 * math.sqrt(max(product, 0.0))
