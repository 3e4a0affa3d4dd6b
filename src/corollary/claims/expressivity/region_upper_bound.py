r"""An upper bound on the number of linear regions (Serra).

A ReLU network with d inputs and hidden widths :math:`n_1, \dots, n_L` has at most

.. math:: \sum_{(j_1,\dots,j_L)\in J} \prod_{l=1}^L \binom{n_l}{j_l}
          \;\le\; \prod_{l=1}^L \sum_{j\le d} \binom{n_l}{j}

linear regions, with :math:`J` the :math:`j` such that :math:`0 \le j_l \le \min(d, n_1 - j_1,
\dots, n_{l-1} - j_{l-1}, n_l)`. The right side lets every layer cut every region as if its image
had full dimension; the left side counts the units that are off.

:source: Mathematical Foundations of Deep Learning (slides), Montufar's Theorem; Serra,
    Tjandraatmadja and Ramalingam (2018), "Bounding and counting linear regions of deep neural
    networks", Theorem 1.
:kind: bound
:uses: zaslavsky, activation_cells
:covers: montufar-regions
"""

from typing import NamedTuple

import torch
from torch import Generator, nn

from corollary.core import Along, Claim, Kept, Suppose, Trial, at_most, option
from corollary.core.picture import Marks, Regions, picture
from corollary.models.random_rectifier import random_rectifier
from corollary.theory.expressivity.bounds import product_upper, serra_upper
from corollary.theory.expressivity.regions.patterns import activation_pattern
from corollary.theory.expressivity.regions.plane import linear_regions

SIDE = 8.0  # half side of the square that is looked at


class Given(NamedTuple):
    model: nn.Sequential  # of two inputs
    widths: tuple[int, ...]  # that it is said to have


class RegionUpperBound(Claim[Given]):
    widths: tuple[int, ...] = option((6, 3, 4), low=1, high=32)  # hidden widths

    relation = at_most()  # counts
    supposes = Suppose(
        "each unit bends once",
        lambda g: activation_pattern(g.model, torch.zeros(1, 2)).shape[1] == sum(g.widths),
        "Units that are clipped from above too have two lines each.",
        lambda rng: Given(random_rectifier(2, (6,), activation=nn.Hardtanh, rng=rng), (6,)),
    )
    symbols = "bound", "regions"
    rows = ("1 layer", "2 layers", "3 layers", "product of all layers")
    shows = Along("Regions of a random network and their upper bound", x="up to layer", log="y")

    def given(self, rng: Generator) -> Given:
        return Given(random_rectifier(2, self.widths, rng=rng), self.widths)

    def predict(self, given: Given) -> list[int]:
        finer = [serra_upper(2, given.widths[: l + 1]) for l in range(len(given.widths))]
        return [*finer, product_upper(2, given.widths)]

    def measure(self, given: Given) -> Kept:
        depths = range(1, len(given.widths) + 1)
        mosaics = [linear_regions(given.model[: 2 * l], SIDE) for l in depths]
        return Kept([*(m.count for m in mosaics), mosaics[-1].count], mosaic=mosaics[-1])

    def tight(self) -> Given:
        """One layer of five lines around a circle, all of which meet in the square."""
        angle = 2 * torch.pi * torch.arange(5, dtype=torch.float64) / 5
        layer = nn.Linear(2, 5, dtype=torch.float64)
        layer.weight.data = torch.stack([angle.cos(), angle.sin()], dim=1)
        layer.bias.data.fill_(0.5)
        return Given(nn.Sequential(layer, nn.ReLU()), (5,))

    @picture("Regions of a random network", x="x₁", y="x₂", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        mosaic = trial.kept.mosaic
        on = mosaic.patterns().sum(dim=1).tolist()
        yield Regions(mosaic.polygons(), on, label=f"{mosaic.count} regions by units on")
