r"""Folding identifies boxes.

A map F identifies the sets S and T if :math:`F(S) = F(T)`. A layer of p rectifiers a coordinate
that computes a zig-zag in each of d coordinates identifies the :math:`p^d` boxes of a grid: each is
mapped onto the whole cube. Whatever function g comes after it is repeated on all of them, so

.. math:: \#\text{regions}(g \circ F) = p^d \cdot \#\text{regions}(g)

on the cube: dp units multiply the work of all later units.

:source: Mathematical Foundations of Deep Learning (slides), Montufar's Theorem, Definition 1 and
    Figure 3; Montufar, Pascanu, Cho and Bengio (2014), "On the number of linear regions of deep
    neural networks", Section 2.
:kind: construction
:cost: instant
:covers: space-folding
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Claim, Figure, Hypothesis, Regions, equals, option
from corollary.models.folding import folding_layer, identified_sets
from corollary.theory.expressivity.regions.plane import linear_regions

SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


class Given(NamedTuple):
    """The fold, and a function after it."""

    fold: nn.Sequential
    g: nn.Sequential
    p: int


@dataclass(frozen=True)
class SpaceFolding(Claim[Given]):
    """Regions after a fold, and boxes that become the cube, on the unit square."""

    p: int = option(3, low=2, high=8)  # folds along each axis
    m: int = option(4, low=1, high=16)  # units of the function after the fold
    relation = equals()  # counts

    def given(self, rng: Generator) -> Given:
        """The zig-zag, and a layer of lines through random points of the square."""
        layer, read = (nn.Linear(*s, dtype=torch.float64) for s in ((2, self.m), (self.m, 1)))
        with torch.no_grad():
            w = torch.randn(self.m, 2, generator=rng, dtype=torch.float64)
            through = 0.2 + 0.6 * torch.rand(self.m, 2, generator=rng, dtype=torch.float64)
            layer.weight.copy_(w)
            layer.bias.copy_(-(w * through).sum(dim=1))
            read.weight.copy_(torch.randn(1, self.m, generator=rng, dtype=torch.float64))
            read.bias.zero_()
        return Given(folding_layer(2, self.p), nn.Sequential(layer, nn.ReLU(), read), self.p)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The middle of every box becomes the middle of the cube."""
        low, high = identified_sets(2, given.p).unbind(1)
        with torch.no_grad():
            middle = given.fold((low + high) / 2)
        same = bool((middle - 0.5).abs().max() < 1e-12)
        yield Hypothesis("the layer sends the middle of every box to the middle of the cube", same)

    def predict(self, given: Given) -> list[float]:
        """The regions of g, once for each box; and the number of boxes."""
        return [given.p**2 * float(_count(given.g)), float(given.p**2)]

    def measure(self, given: Given) -> list[float]:
        """Regions of g after the fold; boxes whose corners become the corners of the cube."""
        after = nn.Sequential(*given.fold, *given.g)
        return [float(_count(after)), float(_boxes_onto(given))]

    def counterexample(self, rng: Generator) -> Given:
        """Each unit of the zig-zag a little too steep: the folds miss the edges of the boxes."""
        given = self.given(rng)
        with torch.no_grad():
            given.fold[0].weight.mul_(1.2)
        return given

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The regions of g, and of g after the fold, shaded by the pattern of g."""
        after = nn.Sequential(*given.fold, *given.g)
        return (
            _mosaic("The function after the fold, g", given.g, len(given.g[0].bias)),
            _mosaic("The function with the fold, g ∘ F", after, len(given.g[0].bias)),
        )


def _square() -> Tensor:
    return torch.tensor(SQUARE, dtype=torch.float64)


def _count(model: nn.Module) -> int:
    return linear_regions(model, _square()).count


def _boxes_onto(given: Given) -> int:
    """Boxes whose four corners are sent to four different corners of the cube, exactly."""
    sides = identified_sets(2, given.p)
    pick = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]])
    corners = torch.stack([sides[:, pick[:, j], j] for j in range(2)], dim=2)  # boxes, 4, 2
    with torch.no_grad():
        image = given.fold(corners.flatten(0, 1)).reshape(-1, 4, 2)
    exact = ((image - image.round()).abs() < 1e-12).all(dim=2) & (image.abs() < 1.5).all(dim=2)
    number = (image.round() @ image.new_tensor([1.0, 2.0])).sort(dim=1).values
    return int((exact.all(dim=1) & (number == torch.arange(4)).all(dim=1)).sum())


def _mosaic(title: str, model: nn.Module, m: int) -> Figure:
    found = linear_regions(model, _square())
    shade = found.patterns()[:, -m:].sum(dim=1).tolist()
    mark = Regions(
        found.polygons(), shade, label=f"{found.count} regions by units of g that are on"
    )
    return Figure(title, x="x₁", y="x₂", equal=True, marks=(mark,))
