r"""A ReLU network is affine on each cell.

Fix which units are on. The inputs with this activation pattern :math:`\kappa(x) = 1\{Wx + b > 0\}`,
layer after layer, form a convex polygon (polyhedron) :math:`X_\kappa`; the cells are disjoint and
cover the input space, there are at most :math:`2^m` of them for m units, and on each

.. math:: f(x) = A_\kappa x + c_\kappa \quad (x \in X_\kappa)

with the matrix that the network has when every rectifier is replaced by 1 or 0.

:source: Perez Jensen (2025), Deep Learning, Section 2.5.
:kind: identity
:cost: instant
:covers: relu-activation-patterns
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Regions, equals, option
from corollary.errors import NotApplicableError
from corollary.models.random_rectifier import random_rectifier
from corollary.theory.expressivity.regions.mosaic import Mosaic
from corollary.theory.expressivity.regions.plane import linear_regions
from corollary.theory.expressivity.regions.program import Program


class Given(NamedTuple):
    """A network, cells with their affine maps, and a share of each corner for points inside."""

    model: nn.Module
    cells: Mosaic
    mix: Tensor  # one weight for each slot of the cells' corners


@dataclass(frozen=True)
class ActivationCells(Claim[Given]):
    """The network at a random point of each cell against the cell's affine map."""

    widths: tuple[int, ...] = option((8, 8), low=1, high=32)  # hidden widths
    relation = equals(ulps=4096, scale=1.0)  # sums of some ten terms, twice, of size up to 10

    def given(self, rng: Generator) -> Given:
        """A random network on the square [-2, 2]²."""
        model = random_rectifier(2, self.widths, rng=rng)
        cells = linear_regions(model, 2.0)
        mix = torch.rand(len(cells.cells.corner), generator=rng, dtype=torch.float64)
        return Given(model, cells, mix)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Rectifiers."""
        try:
            Program.read(given.model)
            piecewise = True
        except NotApplicableError:
            piecewise = False
        yield Hypothesis("every unit is affine on either side of its threshold", piecewise)

    def predict(self, given: Given) -> list[float]:
        """The affine maps at the points; and the area of the square, which the cells cover."""
        slope, offset = given.cells.maps()
        p = _points(given)
        return [16.0, *((slope @ p[:, :, None])[:, :, 0] + offset)[:, 0].tolist()]

    def measure(self, given: Given) -> list[float]:
        """The network at the points; and the areas of the cells together."""
        with torch.no_grad():
            out = given.model(_points(given))[:, 0].tolist()
        return [float(given.cells.areas().sum()), *out]

    def counterexample(self, rng: Generator) -> Given:
        """The same weights with a smooth rectifier, log(1 + eᶻ)."""
        given = self.given(rng)
        smooth = [nn.Softplus() if isinstance(f, nn.ReLU) else f for f in given.model]  # type: ignore[union-attr]
        return given._replace(model=nn.Sequential(*smooth))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The cells by the slope of their map, and network against map."""
        slope, _ = given.cells.maps()
        steep = slope[:, 0].norm(dim=1).tolist()
        predicted = self.predict(given)[1:]
        low, high = min(predicted), max(predicted)
        cells = Figure(
            "Cells by the steepness of their affine map", x="x₁", y="x₂", equal=True,
            marks=(Regions(given.cells.polygons(), steep, label=f"{len(steep)} cells, |A|"),),
        )  # fmt: skip
        match = Figure(
            "One affine map a cell",
            x="A x + c",
            y="f(x)",
            marks=(
                Curve([low, high], [low, high], "f = A x + c", role="predicted"),
                Points(predicted, self.measure(given)[1:], "a random point of each cell"),
            ),
        )
        return cells, match


def _points(given: Given) -> Tensor:
    """A random mixture of the corners of each cell."""
    cells = given.cells.cells
    owner = torch.from_numpy(cells.owner)
    corner = torch.from_numpy(cells.vertices[cells.corner])
    total = torch.zeros(cells.count, dtype=torch.float64).index_add(0, owner, given.mix)
    mixed = torch.zeros(cells.count, 2, dtype=torch.float64)
    return mixed.index_add(0, owner, given.mix[:, None] * corner) / total[:, None]
