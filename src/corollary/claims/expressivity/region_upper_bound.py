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
        return Given(random_network(self.widths, nn.ReLU, rng), self.widths)

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
        return Given(random_network(width, nn.Hardtanh, rng), width)

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


def random_network(widths: tuple[int, ...], kind: type[nn.Module], rng: Generator) -> nn.Sequential:
    """A network ``2 -> widths -> 1`` with Gaussian weights of He's size and biases of size 1."""
    layers: list[nn.Module] = []
    for before, n in zip((2, *widths), (*widths, 1), strict=False):
        layer = nn.Linear(before, n, dtype=torch.float64)
        with torch.no_grad():
            weight = torch.randn(n, before, generator=rng, dtype=torch.float64)
            layer.weight.copy_(weight * (2 / before) ** 0.5)
            layer.bias.copy_(torch.randn(n, generator=rng, dtype=torch.float64))
        layers += [layer, kind()]
    return nn.Sequential(*layers[:-1])
