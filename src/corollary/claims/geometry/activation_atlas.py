r"""Adjacent cells of an activation atlas show the same class.

The activations of a layer over many inputs are laid out in their principal plane and the plane is
cut into cells. In a network trained on handwritten digits adjacent cells agree in their most common
class at least four times as often as two cells drawn at random. If labels have nothing to do with
the activations, adjacent cells agree no more often than others.

:source: Mathematical Foundations of Deep Learning (slides), Manifold Hypothesis; Carter,
    Armstrong, Schubert, Johnson and Olah (2019), "Activation atlas".
:kind: experiment
:cost: seconds
:covers: activation-atlas
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn import functional as F
from torch.optim import Adam

from corollary.core import Claim, Kept, Sample, Spread, Suppose, Trial, at_least, option
from corollary.core.picture import Figure, HeatMap, Image
from corollary.data.real import digits
from corollary.models.many import Many, summed
from corollary.models.mlp import MLP
from corollary.theory.geometry.activation_atlas import (
    activation_atlas,
    neighbour_agreement,
    random_agreement,
)
from corollary.train import fit


class Given(NamedTuple):
    x: Float[Tensor, "n 64"]  # digits
    y: Int[Tensor, " n"]  # their classes, for training
    labels: Int[Tensor, " n"]  # their classes on the atlas


class ActivationAtlas(Claim[Given]):
    width: int = option(32, low=4, high=512)  # units of each of the two hidden layers
    steps: int = option(60, low=1, high=5000)  # updates by Adam on a thousand digits
    layer: int = option(2, low=1, high=3)  # layer; 3 is the output
    grid: int = option(14, low=4, high=30)  # cells per side
    runs: int = option(6, low=2, high=50)  # networks

    relation = at_least()
    supposes = Suppose(
        "every input has its own label",
        lambda g: torch.equal(g.y, g.labels),
        "With shuffled labels, adjacent cells agree no more often than other cells.",
        labels=lambda g, rng: g.y[torch.randperm(len(g.y), generator=rng)],
    )
    symbols = "4", "agreement of adjacent cells / of random cells"
    predicts = 4.0
    shows = Spread("Agreement of adjacent cells of an activation atlas")

    def given(self, rng: Generator) -> Given:
        x, y = digits("train")
        return Given(x.flatten(start_dim=1).double(), y, y)

    def measure(self, given: Given, rng: Generator) -> Kept:
        net = Many([MLP([64, self.width, self.width, 10], rng=rng) for _ in range(self.runs)])
        sample, loss = (given.x[:1000], given.y[:1000]), summed(F.cross_entropy)
        fit(net, sample, loss, lambda p: Adam(p, lr=0.01), steps=self.steps)
        name = f"layers.{self.layer - 1}"
        atlases = [activation_atlas(net, name, given.x, self.grid) for net in net.apart()]
        classes = [atlas.classes(given.labels) for atlas in atlases]
        found = [neighbour_agreement(c) / random_agreement(c) for c in classes]
        return Kept(Sample(found), classes=classes[0], exemplar=atlases[0].exemplar)

    def figure(self, trial: Trial[Given]) -> tuple[Figure, Figure]:
        g, empty = self.grid, trial.kept.exemplar < 0
        tiles = trial.given.x[trial.kept.exemplar.clamp(min=0)].masked_fill(empty[..., None], 0.0)
        faces = tiles.unflatten(2, (8, 8)).flip(0).permute(0, 2, 1, 3).reshape(8 * g, 8 * g)
        classes = trial.kept.classes.double().masked_fill(empty, torch.nan)
        x, y = "first principal component, in cells", "second principal component"
        kinds = HeatMap(classes, (0, g), (0, g), label="digit; empty cells are blank")
        title = f"Most common digit of each cell, layer {self.layer}"
        first = Figure(title, x=x, y=y, equal=True, marks=(kinds,))
        title = "The input closest to the mean of its cell"
        image = Image(faces, (0, g), (0, g), label="digits")
        return first, Figure(title, x=x, y=y, equal=True, marks=(image,))
