r"""Span and the parallelogram.

Two vectors :math:`v_1,v_2` of the plane, as columns of :math:`V`, span
:math:`\{Vc:c\in\mathbb{R}^2\}`. The part with :math:`c\in[0,1]^2` is the parallelogram on them, and

.. math:: \operatorname{area}\{Vc:c\in[0,1]^2\}=|\det V|,

which is 0 iff the vectors are linearly dependent, so that the span is a line or a point.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.1.1, Definition 1.
:kind: identity
:cost: instant
:covers: span-column-space
:erratum: [typo] Both worked displays of the notes call the second column v_1 as well; it is v_2:
    0.5 (-3, 2) + 1 (2, 3) = (0.5, 4).
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Hypothesis, Points, Regions, equals
from corollary.theory.prerequisites.span import parallelogram


class Given(NamedTuple):
    V: Float[Tensor, "n m 2"]  # each has its two vectors as columns


class ParallelogramArea(Claim[Given]):
    n: int = 20  # pairs of vectors
    relation = equals(ulps=2**12, scale=1.0)  # Heron's formula cancels for thin triangles

    def given(self, rng: Generator) -> Given:
        """Drawn pairs, after the two pairs of the notes."""
        drawn = torch.randn(self.n, 2, 2, generator=rng, dtype=torch.float64)
        notes = drawn.new_tensor([[[-3.0, 2.0], [2.0, 3.0]], [[1.0, 2.0], [2.0, 4.0]]])
        return Given(torch.cat([notes, drawn]))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Vectors of the plane."""
        m = given.V.shape[1]
        yield Hypothesis("the two vectors lie in the plane", m == 2, f"they have {m} entries")

    def predict(self, given: Given) -> list[float]:
        """The determinant of the first two coordinates."""
        a, b = given.V[:, 0], given.V[:, 1]
        return (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).abs().tolist()

    def measure(self, given: Given) -> list[float]:
        """Twice the triangle of two sides and the diagonal, from their lengths alone."""
        return [_area(parallelogram(V)) for V in given.V]

    def counterexample(self, rng: Generator) -> Given:
        """Two vectors of space: the first two coordinates see a shadow only."""
        upright = torch.tensor([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
        return Given(upright[None])

    def figure(self, given: Given) -> tuple[Figure, ...]:
        """The two pairs of the notes: independent and dependent."""
        names = ("Independent vectors span the plane", "Dependent vectors span a line")
        return tuple(_picture(V, name) for V, name in zip(given.V[:2], names, strict=False))


def _area(corners: Tensor) -> float:
    """Heron's formula in Kahan's order, which keeps digits for thin triangles."""
    sides = [corners[1] - corners[0], corners[2] - corners[1], corners[2] - corners[0]]
    c, b, a = sorted(float(s.norm()) for s in sides)
    product = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c))
    return 2 * 0.25 * max(product, 0.0) ** 0.5


def _picture(V: Tensor, name: str) -> Figure:
    c = torch.linspace(0, 1, 11, dtype=torch.float64)
    image = torch.cartesian_prod(c, c) @ V.T
    return Figure(
        name,
        x="first coordinate of Vc",
        y="second coordinate of Vc",
        equal=True,
        marks=(
            Regions([parallelogram(V)], label="{Vc : c in [0, 1]²}"),
            Points(image[:, 0], image[:, 1], label="Vc for c on a grid"),
            Points(V[0], V[1], label="v₁ and v₂", role="other"),
        ),
    )
