r"""Half-spaces have VC dimension d + 1.

Some d + 1 points of :math:`\mathbb R^d` (the corners of a simplex) are shattered by half-spaces
:math:`\langle w,x\rangle+b>0`: every labeling is realised. No d + 2 points are: by Radon's theorem
they split into two groups whose convex hulls meet, and no half-space holds one and misses the
other. Without the offset b the dimension is d.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.3, Definition 28; Radon (1921),
    "Mengen konvexer Körper, die einen gemeinsamen Punkt enthalten".
:kind: theorem
:cost: instant
:covers: vc-dimension
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Points,
    equals,
    generator,
    option,
)
from corollary.theory.generalization.shattering import (
    growth,
    half_space_growth,
    half_spaces,
    half_spaces_through_origin,
    radon_partition,
    vc_dimension,
)


class Given(NamedTuple):
    """Dimensions, whether the half-spaces may miss the origin, and a seed for the points."""

    dims: tuple[int, ...]
    offset: bool
    seed: int


@dataclass(frozen=True)
class VcHalfSpaces(Claim[Given]):
    """The largest shattered sets, in growing dimension."""

    d: int = option(4, low=1, high=5)  # largest dimension
    tries: int = option(3, low=1, high=20)  # sets of points tried for each size
    relation = equals()  # integers

    def given(self, rng: Generator) -> Given:
        """Half-spaces with an offset."""
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(tuple(range(1, self.d + 1)), True, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The class."""
        yield Hypothesis("the half-spaces may miss the origin", given.offset)

    def predict(self, given: Given) -> list[float]:
        """One more than the dimension."""
        return [d + 1.0 for d in given.dims]

    def measure(self, given: Given) -> list[float]:
        """The largest size with a shattered set among those tried."""
        labelings = half_spaces if given.offset else half_spaces_through_origin
        found = []
        for d in given.dims:
            rng = generator(given.seed, d)
            result = vc_dimension(
                labelings, lambda n, g, d=d: _cloud(n, d, g), d + 2, tries=self.tries, rng=rng
            )
            found.append(float(result.dimension))
        return found

    def counterexample(self, rng: Generator) -> Given:
        """Half-spaces through the origin: one dimension less."""
        return self.given(rng)._replace(offset=False)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The share of labelings over the number of points; and a Radon partition."""
        sizes = list(range(1, 13))
        curves = tuple(
            Curve([half_space_growth(n, d) / 2**n for n in sizes], sizes, f"d = {d}", "other")
            for d in given.dims
        )
        tried = [(d, _cloud(d + 2, d, generator(given.seed, "figure", d))) for d in given.dims]
        seen = [(n, growth(half_spaces, x[:n]) / 2**n) for d, x in tried for n in (d + 1, d + 2)]
        share = Figure(
            "All labelings up to d + 1 points, not one point more",
            x="n",
            y="S(n) / 2ⁿ",
            marks=(*curves, Points(*zip(*seen, strict=True), label="drawn points, enumerated")),
        )
        return share, _radon(generator(given.seed, "radon"))


def _cloud(n: int, d: int, rng: Generator) -> Tensor:
    return torch.randn(n, d, generator=rng, dtype=torch.float64)


def _radon(rng: Generator) -> Figure:
    """Four points of the plane and their two groups."""
    x = _cloud(4, 2, rng)
    split = radon_partition(x)
    marks = []
    for name, group, role in (
        ("one group", x[split.first], "measured"),
        ("the other", x[~split.first], "other"),
    ):
        ring = torch.cat([group, group[:1]])
        marks += [
            Curve(ring[:, 1], ring[:, 0], label=f"hull of {name}", role=role),
            Points(group[:, 0], group[:, 1], label=name, role=role),
        ]
    point = split.point.tolist()
    marks.append(Points([point[0]], [point[1]], label="in both hulls", role="predicted"))
    return Figure(
        "Radon: four points always split like this",
        x="x₁",
        y="x₂",
        marks=tuple(marks),
        equal=True,
    )
