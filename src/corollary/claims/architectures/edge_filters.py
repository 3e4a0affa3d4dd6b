r"""Trained filters find edges.

A network of one 3 x 3 convolution to eight channels, ReLU, a global mean and a linear layer learns
to tell vertical from horizontal stripes. In every run, one of its filters w is then near a
derivative kernel D across or down (rows :math:`(-1,0,1)`, or its transpose), though no derivative
was built in:

.. math:: \frac{|\langle w,D\rangle|}{\|w\|\,\|D\|}\ge0.7.

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

from corollary.core import Claim, Figure, HeatMap, Hypothesis, Level, Points, at_least, option
from corollary.data.textures import stripes
from corollary.models.small_cnn import SmallCNN
from corollary.theory.architectures.edges import kernel_cosines
from corollary.train import fit


class Given(NamedTuple):
    """How to train what."""

    seed: int
    runs: int
    n: int
    steps: int
    told: bool  # whether labels are the directions


@dataclass(frozen=True)
class EdgeFilters(Claim[Given]):
    """The best cosine of each run."""

    runs: int = option(3, low=2, high=20)  # repetitions with other images and weights
    n: int = option(96, low=50, high=1000)  # images
    steps: int = option(80, low=60, high=1000)  # steps of Adam
    relation = at_least()  # cosines are far above the limit; rounding plays no part

    def given(self, rng: Generator) -> Given:
        """A seed."""
        return Given(
            int(torch.randint(2**31, (), generator=rng)), self.runs, self.n, self.steps, True
        )

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """What is to be learned."""
        yield Hypothesis("labels are the directions of the stripes", given.told)

    def predict(self, given: Given) -> list[float]:
        """The limit, for each run."""
        return [0.7] * given.runs

    def measure(self, given: Given) -> list[float]:
        """The best filter of each run."""
        return [float(kernel_cosines(w).abs().max()) for w in _filters(given)]

    def counterexample(self, rng: Generator) -> Given:
        """Labels by the toss of a coin."""
        return self.given(rng)._replace(told=False)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """All cosines, and the best filter of the first run."""
        found = [kernel_cosines(w).abs().amax(dim=1) for w in _filters(given)]
        runs = [float(i + 1) for i, c in enumerate(found) for _ in c]
        best = _filters(given)[0][int(found[0].argmax())]
        return (
            Figure(
                "Filters of all runs",
                x="run",
                y="cosine with a derivative kernel",
                marks=(
                    Level(0.7, label="limit for the best"),
                    Points(runs, torch.cat(found), label="filters"),
                ),
            ),  # fmt: skip
            Figure(
                "The best filter of the first run",
                x="column",
                y="row",
                equal=True,
                marks=(HeatMap(best.tolist(), label="weight"),),
            ),
        )


@lru_cache(maxsize=8)
def _filters(given: Given) -> list[Tensor]:
    return [_trained(given, given.seed + run) for run in range(given.runs)]


def _trained(given: Given, seed: int) -> Tensor:
    rng = torch.Generator().manual_seed(seed)
    x, y = stripes(given.n, 8, rng=rng)
    if not given.told:
        y = torch.randint(2, y.shape, generator=rng)
    net = SmallCNN(1, 2, (8,), padding_mode="circular", reduce="mean", rng=rng)
    adam = lambda parameters: torch.optim.Adam(parameters, lr=0.05)  # noqa: E731, a name for fit
    fit(net, (x, y), nn.functional.cross_entropy, adam, steps=given.steps)
    return net.features[0].weight.detach()[:, 0]
