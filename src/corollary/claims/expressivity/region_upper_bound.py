r"""No network of this shape has more regions (Serra).

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
:cost: instant
:covers: montufar-regions
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, nn

from corollary.core import Claim, Figure, Hypothesis, Level, Points, Regions, at_most, option
from corollary.models.random_rectifier import random_rectifier
from corollary.theory.expressivity.bounds import product_upper, serra_upper
from corollary.theory.expressivity.regions.patterns import activation_pattern
from corollary.theory.expressivity.regions.plane import linear_regions

SIDE = 8.0  # half side of the square that is looked at


class Given(NamedTuple):
    """A network of two inputs, and the widths it is said to have."""

    model: nn.Module
    widths: tuple[int, ...]


@dataclass(frozen=True)
class RegionUpperBound(Claim[Given]):
    """Regions of a random network on a large square against both upper bounds."""

    widths: tuple[int, ...] = option((6, 3, 4), low=1, high=32)  # hidden widths
    relation = at_most()  # counts

    def given(self, rng: Generator) -> Given:
        """Gaussian weights and biases."""
        return Given(random_rectifier(2, self.widths, rng=rng), self.widths)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The network is what the bound speaks of."""
        bends = activation_pattern(given.model, torch.zeros(1, 2)).shape[1]
        yield Hypothesis(
            "each unit bends once", bends == sum(given.widths), f"{bends} bends in all"
        )

    def predict(self, given: Given) -> list[float]:
        """The finer bound, and the product."""
        return [float(serra_upper(2, given.widths)), float(product_upper(2, given.widths))]

    def measure(self, given: Given) -> float:
        """Regions on the square."""
        return float(linear_regions(given.model, SIDE).count)

    def counterexample(self, rng: Generator) -> Given:
        """Units that are clipped from above too: two lines each, one layer is enough."""
        width = (max(3, self.widths[0]),)
        return Given(random_rectifier(2, width, activation=nn.Hardtanh, rng=rng), width)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The mosaic, and the regions of the network's first layers."""
        mosaic = linear_regions(given.model, SIDE)
        shade = mosaic.patterns().sum(dim=1).tolist()
        picture = Figure(
            "Regions of a random network", x="x₁", y="x₂", equal=True,
            marks=(Regions(mosaic.polygons(), shade, label=f"{mosaic.count} regions by units on"),),
        )  # fmt: skip
        layers = list(range(1, len(given.widths) + 1))
        found = [linear_regions(given.model[: 2 * l], SIDE).count for l in layers]  # type: ignore[index]
        growth = Figure(
            "Far below what the shape allows",
            x="L",
            y="regions",
            log_y=True,
            marks=(
                Points(layers, found, "network up to layer L"),
                Points(
                    layers, [serra_upper(2, given.widths[:l]) for l in layers], "finer bound",
                    role="predicted",
                ),
                Level(product_upper(2, given.widths), "product over all layers"),
            ),
        )  # fmt: skip
        return picture, growth
