r"""Small batches hurt batch normalisation and not layer normalisation.

A network with one normalised layer makes gradient steps on the same points, normalised in pieces
of B, as when the gradients of small batches are added up. With layer normalisation the training
does not depend on B. With batch normalisation B = 2 leaves of each feature little more than which
of two examples is larger, and in eval mode the network is not the one that was trained. In every
run,

* with LN the test losses at the smallest and the largest B differ by less than a millionth,
* with BN the test loss at the largest B is less than half of that at the smallest.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.3, Table 10.1 and Figure 10.17;
    Perez Jensen (2025), Deep Learning, Section 8.5; Wu and He (2018), "Group normalization".
:kind: experiment
:cost: seconds
:covers: batch-vs-layer-norm-experiment
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Claim, Figure, Hypothesis, Points, at_most, option
from corollary.models.batch_norm import BatchNorm
from corollary.models.layer_norm import LayerNorm
from corollary.models.mlp import LinearLayer
from corollary.train import fit


class Given(NamedTuple):
    """How to train what."""

    seed: int
    runs: int
    steps: int
    sizes: tuple[int, ...]
    layer: bool  # whether the first network is normalised by layers


@dataclass(frozen=True)
class BatchOrLayerNorm(Claim[Given]):
    """Test losses at several sizes of the pieces."""

    runs: int = option(3, low=2, high=20)  # repetitions with other points and weights
    steps: int = option(40, low=20, high=1000)  # gradient steps
    sizes: tuple[int, ...] = (2, 8, 64)  # examples normalised together B, growing divisors of 64
    relation = at_most()  # rounding changes losses by far less than a millionth

    def given(self, rng: Generator) -> Given:
        """A seed."""
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(seed, self.runs, self.steps, self.sizes, True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """What is normalised, and sizes that differ."""
        yield Hypothesis("the first network is normalised by layers", given.layer)
        yield Hypothesis(
            "sizes go from 2 to 32 or 64", given.sizes[0] == 2 and given.sizes[-1] > 31
        )

    def predict(self, given: Given) -> list[float]:
        """Limits: the ratio of LN's losses, and that of BN's."""
        return [1 + 1e-6, 0.5]

    def measure(self, given: Given) -> list[float]:
        """The worst ratios of all runs."""
        ln, bn = _sweep(given, given.layer)[1], _sweep(given, False)[1]
        change = torch.maximum(ln[0] / ln[-1], ln[-1] / ln[0])
        return [float(change.max()), float((bn[-1] / bn[0]).max())]

    def counterexample(self, rng: Generator) -> Given:
        """Batch normalisation in both."""
        return self.given(rng)._replace(layer=False)

    def figure(self, given: Given) -> Figure:
        """Test and training losses against B."""
        marks = []
        for layer, name, role in ((True, "LN", "measured"), (False, "BN", "other")):
            for losses, which in zip(_sweep(given, layer), ("training", "test"), strict=True):
                low, mid, high = losses.min(1).values, losses.mean(1), losses.max(1).values
                label = f"{name}, {which}, range of runs"
                marks.append(Points(given.sizes, mid, label=label, role=role, low=low, high=high))
        return Figure(
            "Losses after training in pieces of B",
            x="examples normalised together B",
            y="mean squared error",
            log_x=True,
            log_y=True,
            marks=tuple(marks),
        )


@lru_cache(maxsize=8)
def _sweep(given: Given, layer: bool) -> tuple[Tensor, Tensor]:
    """Training losses (in training mode) and test losses, a row a size and a column a run."""
    pairs = torch.tensor(
        [[_trained(given, layer, B, run) for run in range(given.runs)] for B in given.sizes],
        dtype=torch.float64,
    )
    return pairs[..., 0], pairs[..., 1]


class InPieces(nn.Module):
    """A layer that is handed B rows at a time while training, and all of them after."""

    def __init__(self, norm: LayerNorm | BatchNorm, B: int) -> None:
        super().__init__()
        self.norm, self.B = norm, B

    def forward(self, z: Tensor) -> Tensor:
        """The outputs of the pieces, joined."""
        pieces = z.split(self.B) if self.training else [z]
        return torch.cat([self.norm(piece) for piece in pieces])


def _trained(given: Given, layer: bool, B: int, run: int) -> tuple[float, float]:
    rng = torch.Generator().manual_seed(given.seed + run)
    x = torch.randn(64 + 256, 4, generator=rng, dtype=torch.float64)
    y = x[:, :1] + x[:, 1:2].abs()
    norm = (LayerNorm if layer else BatchNorm)(16, dtype=torch.float64)
    first = LinearLayer(4, 16, bias=True, rng=rng)
    net = nn.Sequential(first, InPieces(norm, B), nn.ReLU(), LinearLayer(16, 1, bias=True, rng=rng))
    adam = torch.optim.Adam(net.parameters(), lr=0.03)
    history = fit(net, (x[:64], y[:64]), nn.functional.mse_loss, adam, steps=given.steps)
    with torch.no_grad():
        test = nn.functional.mse_loss(net.eval()(x[64:]), y[64:])
    return float(history[-1].loss), float(test)
