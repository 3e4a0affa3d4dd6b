r"""A ReLU network is affine on each cell.

Fix which units are on. The inputs with this activation pattern :math:`\kappa(x) = 1\{Wx + b > 0\}`,
layer after layer, form a convex polygon (polyhedron) :math:`X_\kappa`; the cells are disjoint and
cover the input space, there are at most :math:`2^m` of them for m units, and on each

.. math:: f(x) = A_\kappa x + c_\kappa \quad (x \in X_\kappa)

with the matrix that the network has when every rectifier is replaced by 1 or 0.

:source: Perez Jensen (2025), Deep Learning, Section 2.5.
:kind: identity
:covers: relu-activation-patterns
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Claim, Parity, Suppose, Trial, equals, option, uniform
from corollary.core.picture import Marks, Regions, picture
from corollary.errors import NotApplicableError
from corollary.models.random_rectifier import random_rectifier
from corollary.theory.expressivity.regions.mosaic import Mosaic
from corollary.theory.expressivity.regions.plane import linear_regions
from corollary.theory.expressivity.regions.program import Program


class Given(NamedTuple):
    model: nn.Module
    cells: Mosaic  # with their affine maps
    mix: Tensor  # one weight for each slot of the cells' corners

    def points(self) -> Tensor:
        """A mixture of the corners of each cell."""
        cells = self.cells.cells
        owner = torch.from_numpy(cells.owner)
        corner = torch.from_numpy(cells.vertices[cells.corner])
        total = torch.zeros(cells.count, dtype=torch.float64).index_add(0, owner, self.mix)
        mixed = torch.zeros(cells.count, 2, dtype=torch.float64)
        return mixed.index_add(0, owner, self.mix[:, None] * corner) / total[:, None]


def piecewise(given: Given) -> bool:
    """Whether the network is read as one of affine pieces."""
    try:
        Program.read(given.model)
    except NotApplicableError:
        return False
    return True


def smooth(given: Given) -> Given:
    """With a smooth rectifier, log(1 + eᶻ), no cell has an affine map."""
    layers = [nn.Softplus() if isinstance(f, nn.ReLU) else f for f in given.model.children()]
    return given._replace(model=nn.Sequential(*layers))


class ActivationCells(Claim[Given]):
    widths: tuple[int, ...] = option((8, 8), low=1, high=32)  # hidden widths

    relation = equals(ulps=4096, scale=1.0)  # sums of some ten terms, twice, of size up to 10
    supposes = (
        Suppose("every unit is affine on either side of its threshold", piecewise, without=smooth),
        Suppose(
            "each point lies in its cell",
            lambda g: g.mix.min(),
            "Combinations with negative weights lie in other cells, which have other affine maps.",
            mix=lambda g: g.mix * torch.where(torch.arange(len(g.mix)) % 3 == 0, 2.0, -0.7),
        ),
    )
    symbols = "A x + c, and 1", "f(x), and the part of the square in cells"
    shows = Parity("One affine map per cell", without=False)

    def given(self, rng: Generator) -> Given:
        model = random_rectifier(2, self.widths, rng=rng)
        cells = linear_regions(model, 2.0)  # on the square [-2, 2]²
        mix = uniform(rng, len(cells.cells.corner))
        return Given(model, cells, mix)

    def predict(self, given: Given) -> list[float]:
        slope, offset = given.cells.maps()
        values = (slope @ given.points()[:, :, None])[:, :, 0] + offset
        return [*values[:, 0].tolist(), 1.0]

    def measure(self, given: Given) -> list[float]:
        with torch.no_grad():
            out = given.model(given.points())[:, 0].tolist()
        return [*out, float(given.cells.areas().sum()) / 16]

    @picture("Cells by the steepness of their affine map", x="x₁", y="x₂", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        cells = trial.given.cells
        steep = cells.maps()[0][:, 0].norm(dim=1).tolist()
        yield Regions(cells.polygons(), steep, label=f"{len(steep)} cells, |A|")
