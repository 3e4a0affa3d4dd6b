r"""Neighbours in an activation atlas mean the same.

The activations of a layer over many inputs are laid out in their principal plane and the plane is
cut into cells. In a network trained on handwritten digits adjacent cells agree in their commonest
class at least three times as often as two cells drawn at random. If labels have nothing to do with
the activations, adjacent cells agree no more often than others.

:source: Mathematical Foundations of Deep Learning (slides), Manifold Hypothesis; Carter,
    Armstrong, Schubert, Johnson and Olah (2019), "Activation atlas".
:kind: experiment
:cost: seconds
:covers: activation-atlas
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator, Tensor
from torch.nn import functional as F
from torch.optim import Adam

from corollary.core import (
    Claim,
    Figure,
    HeatMap,
    Hypothesis,
    Image,
    Level,
    Points,
    at_least,
    option,
)
from corollary.data.real import digits
from corollary.models.mlp import MLP
from corollary.theory.geometry.activation_atlas import (
    Atlas,
    activation_atlas,
    neighbour_agreement,
    random_agreement,
)
from corollary.train import fit


class Given(NamedTuple):
    """How to train, which layer to look at, and whether labels are those of the inputs."""

    seed: int
    width: int
    steps: int
    layer: int
    grid: int
    shuffled: bool


class ActivationAtlas(Claim[Given]):
    width: int = option(32, low=4, high=512)  # units of each of the two hidden layers
    steps: int = option(60, low=1, high=5000)  # updates by Adam on a thousand digits
    layer: int = option(2, low=1, high=3)  # layer to look at; 3 is the output
    grid: int = option(14, low=4, high=30)  # cells a side
    relation = at_least()  # shares of some hundred pairs of cells

    def given(self, rng: Generator) -> Given:
        """A seed."""
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(seed, self.width, self.steps, self.layer, self.grid, False)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The labels."""
        yield Hypothesis("every input has its own label", not given.shuffled)

    def predict(self, given: Given) -> float:
        """Three times the agreement of random cells."""
        return 3 * random_agreement(_classes(given))

    def measure(self, given: Given) -> float:
        """The agreement of adjacent cells."""
        return neighbour_agreement(_classes(given))

    def counterexample(self, rng: Generator) -> Given:
        """Labels in random order."""
        return self.given(rng)._replace(shuffled=True)

    def figure(self, given: Given) -> tuple[Figure, Figure, Figure]:
        """Classes of cells, the inputs that stand for them, and agreement by layer."""
        map_, x, _ = atlas(given)
        g = given.grid
        classes = _classes(given).double()
        classes[classes < 0] = torch.nan  # empty cells
        kinds = Figure(
            f"Commonest digit of each cell, layer {given.layer}",
            x="first principal component, in cells",
            y="second principal component, in cells",
            equal=True,
            marks=(HeatMap(classes, (0, g), (0, g), label="digit; empty cells are blank"),),
        )
        picture = torch.zeros(8 * g, 8 * g)
        for i in range(g):
            for j in range(g):
                if int(map_.exemplar[i, j]) >= 0:
                    tile = x[int(map_.exemplar[i, j])].reshape(8, 8)
                    row = g - 1 - i  # pictures have row 0 on top
                    picture[8 * row : 8 * row + 8, 8 * j : 8 * j + 8] = tile
        faces = Figure(
            "The input that is most like the mean of its cell",
            x="first principal component, in cells",
            y="second principal component, in cells",
            equal=True,
            marks=(Image(picture, (0, g), (0, g), label="digits"),),
        )
        layers = [1, 2, 3]
        near = [neighbour_agreement(_classes(given._replace(layer=k))) for k in layers]
        far = [3 * random_agreement(_classes(given._replace(layer=k))) for k in layers]
        agreement = Figure(
            "Agreement of adjacent cells",
            x="layer, 3 is the output",
            y="share of pairs with one class",
            marks=(
                Points(layers, near, label="adjacent cells"),
                Points(layers, far, label="three times random cells", role="predicted"),
                Level(1.0, label="always", role="other"),
            ),
        )
        return kinds, faces, agreement


@lru_cache(maxsize=2)
def _trained(seed: int, width: int, steps: int) -> tuple[MLP, Tensor, Tensor]:
    x, y = digits("train")
    x = x.flatten(start_dim=1).double()
    net = MLP([64, width, width, 10], rng=torch.Generator().manual_seed(seed))
    sample = (x[:1000], y[:1000])
    fit(net, sample, F.cross_entropy, lambda p: Adam(p, lr=0.01), steps=steps)
    return net, x, y


def atlas(given: Given) -> tuple[Atlas, Tensor, Tensor]:
    """The atlas, the inputs, and their labels (in random order if ``shuffled``)."""
    net, x, y = _trained(given.seed, given.width, given.steps)
    if given.shuffled:
        rng = torch.Generator().manual_seed(given.seed)
        y = y[torch.randperm(len(y), generator=rng)]
    return activation_atlas(net, f"layers.{given.layer - 1}", x, given.grid), x, y


def _classes(given: Given) -> Tensor:
    map_, _, y = atlas(given)
    return map_.classes(y)
