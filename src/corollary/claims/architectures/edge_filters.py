r"""Trained convolution filters are edge detectors.

The derivative kernels D across (rows :math:`(-1,0,1)`) and down (its transpose) span a plane in the
nine dimensions of 3 x 3 filters, so filters of random directions have 2/9 of their squared length
in it. A network of one convolution to sixteen channels, ReLU, a global mean and a linear layer
learns to tell vertical from horizontal stripes. Though no derivative was built in, training adds
to the share S of the plane at least half of what chance gives, and the nearest filter is close to
one of the two kernels: on average over runs

.. math:: S(\text{after})-S(\text{before})\ge\tfrac19,\qquad S=\frac{\sum_k\|\Pi w_k\|^2}
    {\sum_k\|w_k\|^2},\qquad
    \max_{k,D}\frac{|\langle w_k,D\rangle|}{\|w_k\|\,\|D\|}\ge0.85,

where :math:`\Pi` projects onto the plane. With labels from a coin the share stays where it was.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1, Figure 10.8.
:kind: experiment
:cost: seconds
:covers: learned-edge-filters
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Claim, Kept, Sample, Suppose, Trial, at_least, option
from corollary.core.picture import Figure, HeatMap, Level, Points
from corollary.data.textures import stripes
from corollary.models.small_cnn import SmallCNN
from corollary.theory.architectures.edges import edge_share, kernel_cosines
from corollary.train import fit

CHANCE, GAIN, COSINE = 2 / 9, 1 / 9, 0.85
Draw = Callable[[int, Generator], tuple[Tensor, Tensor]]


def told(n: int, rng: Generator) -> tuple[Tensor, Tensor]:
    """Images of stripes with their directions as labels."""
    return stripes(n, 8, rng=rng)


def coin(n: int, rng: Generator) -> tuple[Tensor, Tensor]:
    """The same images with labels by the toss of a coin."""
    x, y = told(n, rng)
    return x, torch.randint(2, y.shape, generator=rng)


class Given(NamedTuple):
    """How images and labels are drawn, and a sample of them."""

    draw: Draw
    x: Tensor
    y: Tensor


def directions(given: Given) -> tuple[bool, str]:
    """Whether labels follow the direction in which an image varies most."""
    x = given.x[:, 0]
    across = (x - x.roll(1, 2)).square().sum((1, 2)) > (x - x.roll(1, 1)).square().sum((1, 2))
    share = float((across == (given.y == given.y[across][0])).double().mean())
    return share > 0.75, f"{100 * share:.0f} % of the labels"


class EdgeFilters(Claim[Given]):
    runs: int = option(10, low=4, high=50)  # repetitions with other images and weights
    n: int = option(96, low=50, high=1000)  # images
    steps: int = option(80, low=60, high=1000)  # steps of Adam

    relation = at_least(level=0.99)  # means over the runs, with Student intervals
    supposes = Suppose(
        "labels are the directions of the stripes",
        directions,
        "With random labels, the filters hardly change.",
        draw=lambda g: coin,
        y=lambda g: coin(len(g.x), torch.Generator().manual_seed(0))[1],
    )
    symbols = "1/9 and 0.85", "gain of the share, best cosine"
    predicts = [GAIN, COSINE]
    rows = "gain of the share of edges", "cosine of the nearest filter"

    def given(self, rng: Generator) -> Given:
        return Given(told, *told(self.n, rng))

    def measure(self, given: Given, rng: Generator) -> Kept:
        filters = [self._trained(given, rng) for _ in range(self.runs)]
        gains = [edge_share(after) - edge_share(before) for before, after in filters]
        nearest = [_nearest(after)[1] for _, after in filters]
        return Kept([Sample(gains), Sample(nearest)], filters=filters)

    def figure(self, trial: Trial[Given]) -> tuple[Figure, Figure]:
        """The shares of all runs, and the nearest filter of the first run."""
        before, after = zip(*trial.kept.filters, strict=True)
        runs, start = range(1, self.runs + 1), [edge_share(w) for w in before]
        marks = (
            Level(sum(start) / self.runs + GAIN, label="mean before + 1/9"),
            Level(CHANCE, label="chance, 2/9", role="other"),
            Points(runs, start, label="before training", role="other"),
            Points(runs, [edge_share(w) for w in after], label="after training"),
        )
        share = "share in the plane of the derivative kernels"
        best = after[0][_nearest(after[0])[0]].flip(0).tolist()
        cells = HeatMap(best, x=(0.5, 3.5), y=(0.5, 3.5), label="weight")
        return (
            Figure(
                "Share of edge detection before and after training", x="run", y=share, marks=marks
            ),
            Figure(
                "The filter nearest to a derivative, first run",
                marks=(cells,),
                x="column",
                y="row, counted from below",
                equal=True,
            ),
        )

    def _trained(self, given: Given, rng: Generator) -> tuple[Tensor, Tensor]:
        """Filters before and after training."""
        net = SmallCNN(1, 2, (16,), padding_mode="circular", reduce="mean", rng=rng)
        before = net.get_parameter("features.0.weight").detach()[:, 0].clone()
        adam = torch.optim.Adam(net.parameters(), lr=0.05)
        fit(net, given.draw(self.n, rng), nn.functional.cross_entropy, adam, steps=self.steps)
        return before, net.get_parameter("features.0.weight").detach()[:, 0]


def _nearest(w: Tensor) -> tuple[int, float]:
    """Number and cosine of the filter that is nearest to a derivative kernel."""
    value, index = kernel_cosines(w).abs().amax(dim=1).max(dim=0)
    return int(index), float(value)
