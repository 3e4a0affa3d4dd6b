r"""Half-spaces have VC dimension d + 1.

Some d + 1 points of :math:`\mathbb R^d` (the corners of a simplex) are shattered by half-spaces
:math:`\langle w,x\rangle+b>0`: every labeling is realised. No d + 2 points are: by Radon's theorem
they split into two groups whose convex hulls meet, and no half-space holds one and misses the
other. Without the offset b the dimension is d.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.3, Definition 28; Radon (1921),
    "Mengen konvexer Körper, die einen gemeinsamen Punkt enthalten".
:kind: theorem
:covers: vc-dimension
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, Trial, equals, generator, normal, option
from corollary.core.picture import Curve, Marks, Role, picture, scatter
from corollary.theory.generalization.shattering import (
    Labelings,
    growth,
    half_spaces,
    half_spaces_through_origin,
    radon_partition,
    vc_dimension,
)

RAY = torch.tensor([[1.0], [2.0]], dtype=torch.float64)  # two points on it have four labelings


class Given(NamedTuple):
    dims: tuple[int, ...]  # dimensions
    labelings: Labelings  # the class


class VcHalfSpaces(Claim[Given]):
    d: int = option(4, low=1, high=5)  # largest dimension
    tries: int = option(3, low=1, high=20)  # sets of points tried for each size

    relation = equals()  # integers
    supposes = Suppose(
        "the border of a half-space need not contain the origin",
        lambda g: growth(g.labelings, RAY) == 4,
        "If all half-spaces contain the origin on their border, the VC dimension is one less.",
        labelings=lambda _: half_spaces_through_origin,
    )
    symbols = "d + 1", "largest shattered set"
    shows = Along("Half-spaces shatter d + 1 points", x="d", at="dims")

    def given(self, rng: Generator) -> Given:
        return Given(tuple(range(1, self.d + 1)), half_spaces)

    def predict(self, given: Given) -> list[float]:
        return [d + 1.0 for d in given.dims]

    def measure(self, given: Given, rng: Generator) -> list[float]:
        def largest(d: int) -> float:
            cloud = lambda n, g: normal(g, n, d)  # noqa: E731
            return vc_dimension(given.labelings, cloud, d + 2, tries=self.tries, rng=rng).dimension

        return [largest(d) for d in given.dims]

    @picture("Radon: four points in two groups that no line separates", x="x₁", y="x₂", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        x = normal(generator(0, "radon"), 4, 2)
        split = radon_partition(x)
        sides: dict[Role, tuple[str, Tensor]] = {
            "measured": ("one group", x[split.first]),
            "other": ("the other", x[~split.first]),
        }
        for role, (name, group) in sides.items():
            ring = torch.cat([group, group[:1]])
            yield Curve(ring[:, 1], ring[:, 0], label=f"hull of {name}", role=role)
            yield scatter(group, name, role)
        yield scatter(split.point[None], "in both hulls", "predicted")
