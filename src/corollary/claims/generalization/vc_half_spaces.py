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

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, Trial, equals, generator, normal, option
from corollary.core.picture import Curve, Marks, Points, Role, picture
from corollary.theory.generalization.shattering import (
    Labelings,
    growth,
    half_spaces,
    half_spaces_through_origin,
    radon_partition,
    vc_dimension,
)


class Given(NamedTuple):
    dims: tuple[int, ...]  # dimensions
    labelings: Labelings  # the class


def may_miss_origin(given: Given) -> tuple[bool, str]:
    """Whether two points on one ray can have different labels."""
    ray = torch.tensor([[1.0], [2.0]], dtype=torch.float64)
    count = growth(given.labelings, ray)
    return count == 4, f"two points on a ray have {count} labelings"


class VcHalfSpaces(Claim[Given]):
    d: int = option(4, low=1, high=5)  # largest dimension
    tries: int = option(3, low=1, high=20)  # sets of points tried for each size

    relation = equals()  # integers
    supposes = Suppose(
        "the half-spaces may miss the origin",
        may_miss_origin,
        "Half-spaces through the origin: one dimension less.",
        labelings=lambda _: half_spaces_through_origin,
    )
    symbols = "d + 1", "largest shattered set"
    shows = Along("Half-spaces shatter d + 1 points", x="d", at="dims")

    def given(self, rng: Generator) -> Given:
        return Given(tuple(range(1, self.d + 1)), half_spaces)

    def predict(self, given: Given) -> list[float]:
        return [d + 1.0 for d in given.dims]

    def measure(self, given: Given, rng: Generator) -> list[float]:
        clouds = [lambda n, g, d=d: normal(g, n, d) for d in given.dims]
        found = [
            vc_dimension(given.labelings, cloud, d + 2, tries=self.tries, rng=rng)
            for cloud, d in zip(clouds, given.dims, strict=True)
        ]
        return [float(result.dimension) for result in found]

    @picture("Radon: four points always split like this", x="x₁", y="x₂", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        x = normal(generator(0, "radon"), 4, 2)
        split = radon_partition(x)
        groups: dict[Role, tuple[str, Tensor]] = {
            "measured": ("one group", split.first),
            "other": ("the other", ~split.first),
        }
        for role, (name, which) in groups.items():
            group = x[which]
            ring = torch.cat([group, group[:1]])
            yield Curve(ring[:, 1], ring[:, 0], label=f"hull of {name}", role=role)
            yield Points(group[:, 0], group[:, 1], label=name, role=role)
        point = split.point.tolist()
        yield Points([point[0]], [point[1]], label="in both hulls", role="predicted")
