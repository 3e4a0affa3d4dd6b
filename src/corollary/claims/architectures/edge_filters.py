r"""Trained filters find edges.

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

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import (
    Claim,
    Figure,
    HeatMap,
    Hypothesis,
    Level,
    Points,
    Sample,
    at_least,
    option,
)
from corollary.data.textures import stripes
from corollary.models.small_cnn import SmallCNN
from corollary.theory.architectures.edges import edge_share, kernel_cosines
from corollary.train import fit

CHANCE, GAIN, COSINE = 2 / 9, 1 / 9, 0.85


class Given(NamedTuple):
    """How to train what."""

    seed: int
    runs: int
    n: int
    steps: int
    told: bool  # whether labels are the directions


@dataclass(frozen=True)
class EdgeFilters(Claim[Given]):
    """What training adds to the share of edges in each run, and the best cosine."""

    runs: int = option(10, low=4, high=50)  # repetitions with other images and weights
    n: int = option(96, low=50, high=1000)  # images
    steps: int = option(80, low=60, high=1000)  # steps of Adam
    relation = at_least(level=0.99)  # means over the runs, with Student intervals

    def given(self, rng: Generator) -> Given:
        """A seed."""
        return Given(
            int(torch.randint(2**31, (), generator=rng)), self.runs, self.n, self.steps, True
        )

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """What is to be learned."""
        yield Hypothesis("labels are the directions of the stripes", given.told)

    def predict(self, given: Given) -> list[float]:
        """The least gain, and the least cosine of the nearest filter."""
        return [GAIN, COSINE]

    def measure(self, given: Given) -> list[Sample]:
        """Both, run by run."""
        found = _filters(given)
        gains = [edge_share(after) - edge_share(before) for before, after in found]
        return [Sample(gains), Sample([_nearest(after)[1] for _, after in found])]

    def counterexample(self, rng: Generator) -> Given:
        """Labels by the toss of a coin."""
        return self.given(rng)._replace(told=False)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The shares of all runs, and the nearest filter of the first run."""
        before, after = zip(*_filters(given), strict=True)
        runs = range(1, given.runs + 1)
        start = sum(map(edge_share, before)) / given.runs
        best = after[0][_nearest(after[0])[0]]
        return (
            Figure(
                "What training adds to the filters",
                x="run",
                y="share in the plane of the derivative kernels",
                marks=(
                    Level(start + GAIN, label="mean before + 1/9"),
                    Level(CHANCE, label="chance, 2/9", role="other"),
                    Points(runs, [edge_share(w) for w in before], label="before training",
                           role="other"),
                    Points(runs, [edge_share(w) for w in after], label="after training"),
                ),
            ),
            Figure(
                "The filter nearest to a derivative in the first run",
                x="column",
                y="row, counted from below",
                equal=True,
                marks=(HeatMap(best.flip(0).tolist(), x=(0.5, 3.5), y=(0.5, 3.5), label="weight"),),
            ),
        )  # fmt: skip


def _nearest(w: Tensor) -> tuple[int, float]:
    """Number and cosine of the filter that is nearest to a derivative kernel."""
    value, index = kernel_cosines(w).abs().amax(dim=1).max(dim=0)
    return int(index), float(value)


@lru_cache(maxsize=8)
def _filters(given: Given) -> list[tuple[Tensor, Tensor]]:
    """Filters before and after training, run by run."""
    return [_trained(given, given.seed + run) for run in range(given.runs)]


def _trained(given: Given, seed: int) -> tuple[Tensor, Tensor]:
    rng = torch.Generator().manual_seed(seed)
    x, y = stripes(given.n, 8, rng=rng)
    if not given.told:
        y = torch.randint(2, y.shape, generator=rng)
    net = SmallCNN(1, 2, (16,), padding_mode="circular", reduce="mean", rng=rng)
    before = net.features[0].weight.detach()[:, 0].clone()
    adam = lambda parameters: torch.optim.Adam(parameters, lr=0.05)  # noqa: E731, a name for fit
    fit(net, (x, y), nn.functional.cross_entropy, adam, steps=given.steps)
    return before, net.features[0].weight.detach()[:, 0]
