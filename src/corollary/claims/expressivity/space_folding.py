r"""Space folding: a layer maps every box of a grid onto the same cube.

A map F identifies the sets S and T if :math:`F(S) = F(T)`. A layer of p rectifiers a coordinate
that computes a zig-zag in each of d coordinates identifies the :math:`p^d` boxes of a grid: each is
mapped onto the whole cube. Whatever function g comes after it is repeated on all of them, so

.. math:: \#\text{regions}(g \circ F) = p^d \cdot \#\text{regions}(g)

on the cube: dp units multiply the work of all later units.

:source: Mathematical Foundations of Deep Learning (slides), Montufar's Theorem, Definition 1 and
    Figure 3; Montufar, Pascanu, Cho and Bengio (2014), "On the number of linear regions of deep
    neural networks", Section 2.
:kind: construction
:uses: activation_cells
:covers: space-folding
:scale-free: Regions are counted in the same way on both sides.
"""

from copy import deepcopy
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Claim, Kept, Suppose, Trial, equals, normal, option, uniform
from corollary.core.picture import Marks, Regions, picture
from corollary.models.folding import folding_layer, identified_sets
from corollary.theory.expressivity.regions.mosaic import Mosaic
from corollary.theory.expressivity.regions.plane import linear_regions

SQUARE = torch.tensor([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], dtype=torch.float64)


class Given(NamedTuple):
    fold: nn.Sequential
    g: nn.Sequential  # the function after it
    p: int  # folds along each axis


def centred(given: Given) -> Tensor:
    """1e-12 less how far the middle of a box is sent from the middle of the cube."""
    low, high = identified_sets(2, given.p).unbind(1)
    image: Tensor = given.fold((low + high) / 2)
    return 1e-12 - (image - 0.5).abs().max()


def steep(given: Given) -> Given:
    """Zig-zags that are a little too steep miss the edges of the boxes."""
    fold = deepcopy(given.fold)
    next(fold.parameters()).data.mul_(1.2)  # the weights of its first layer
    return given._replace(fold=fold)


class SpaceFolding(Claim[Given]):
    p: int = option(3, low=2, high=8)  # folds along each axis
    m: int = option(4, low=1, high=16)  # units of the function after the fold

    relation = equals()  # counts
    supposes = Suppose(
        "the centre of every box is mapped to the centre of the cube", centred, without=steep
    )
    symbols = "pᵈ regions of g, and pᵈ", "regions of g ∘ F, and boxes onto the cube"
    rows = ("regions", "boxes")

    def given(self, rng: Generator) -> Given:
        layer, read = (nn.Linear(*s, dtype=torch.float64) for s in ((2, self.m), (self.m, 1)))
        w = normal(rng, self.m, 2)
        through = 0.2 + 0.6 * uniform(rng, self.m, 2)
        layer.weight.data, layer.bias.data = w, -(w * through).sum(dim=1)
        read.weight.data = normal(rng, 1, self.m)
        read.bias.data.zero_()
        return Given(folding_layer(2, self.p), nn.Sequential(layer, nn.ReLU(), read), self.p)

    def predict(self, given: Given) -> list[int]:
        boxes = given.p**2
        return [boxes * linear_regions(given.g, SQUARE).count, boxes]

    def measure(self, given: Given) -> Kept:
        after = linear_regions(nn.Sequential(*given.fold, *given.g), SQUARE)
        sides, pick = identified_sets(2, given.p), torch.cartesian_prod(*[torch.arange(2)] * 2)
        corners = torch.stack([sides[:, pick[:, j], j] for j in range(2)], dim=2)  # boxes, 4, 2
        image = given.fold(corners.flatten(0, 1)).reshape(-1, 4, 2).detach()
        exact = ((image - image.round()).abs() < 1e-12).flatten(1).all(1)
        number = (image.round() @ image.new_tensor([1.0, 2.0])).sort(dim=1).values
        onto = int((exact & (number == torch.arange(4)).all(dim=1)).sum())
        return Kept([after.count, onto], after=after)

    @picture("The function after the fold, g", x="x₁", y="x₂", equal=True)
    def plain(self, trial: Trial[Given]) -> Marks:
        yield self.mosaic(linear_regions(trial.given.g, SQUARE))

    @picture("The function with the fold, g ∘ F", x="x₁", y="x₂", equal=True)
    def folded(self, trial: Trial[Given]) -> Marks:
        yield self.mosaic(trial.kept.after)

    def mosaic(self, found: Mosaic) -> Regions:
        """Regions, coloured by the units of g that are on."""
        on = found.patterns()[:, -self.m :].sum(dim=1)
        return Regions(found.polygons(), on, f"{found.count} regions by units of g that are on")
