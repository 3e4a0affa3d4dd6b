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
:uses: batch_norm_noise, layer_norm_alone
:covers: batch-vs-layer-norm-experiment
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Claim, Kept, Sample, Suppose, Trial, at_most, near, normal, option
from corollary.core.picture import Marks, Points, Role, picture
from corollary.models.batch_norm import BatchNorm
from corollary.models.layer_norm import LayerNorm
from corollary.models.mlp import LinearLayer
from corollary.train import fit


class Given(NamedTuple):
    """The two kinds of normalisation that are compared, and the sizes of the pieces."""

    kinds: tuple[Callable[..., nn.Module], ...]
    sizes: tuple[int, ...]


def one_by_one(given: Given) -> tuple[bool, str]:
    """Whether the first kind gives rows the same in a batch and in its halves."""
    z = torch.tensor([[1.0, 2, 4], [5, 1, 0], [3, 3, 1], [0, 7, 2]], dtype=torch.float64)
    norm = given.kinds[0](3, dtype=torch.float64).train()
    return near(norm(z), torch.cat([norm(z[:2]), norm(z[2:])]))


class BatchOrLayerNorm(Claim[Given]):
    runs: int = option(6, low=3, high=20)  # repetitions with other points and weights
    steps: int = option(40, low=20, high=1000)  # gradient steps
    sizes: tuple[int, ...] = (2, 8, 64)  # examples normalised together B, growing divisors of 64

    relation = at_most(level=0.95)  # means over the runs, with Student intervals
    supposes = (
        Suppose(
            "the first network uses layer normalisation",
            one_by_one,
            "If both networks use batch normalisation, the first one depends on B too.",
            kinds=(BatchNorm, BatchNorm),
        ),
        Suppose(
            "the batch sizes go from 2 to 32 or 64",
            lambda g: g.sizes[0] == 2 and g.sizes[-1] > 31,
        ),
    )
    symbols = "limit", "ratio of test losses"
    predicts = [1 + 1e-6, 0.5]
    rows = "LN, smallest and largest B", "BN, largest / smallest B"

    def given(self, rng: Generator) -> Given:
        return Given((LayerNorm, BatchNorm), self.sizes)

    def measure(self, given: Given, rng: Generator) -> Kept:
        seeds = torch.randint(2**31, (self.runs,), generator=rng).tolist()
        (ln, bn) = losses = [
            torch.tensor([[self._trained(kind, B, seed) for seed in seeds] for B in given.sizes])
            for kind in given.kinds
        ]  # (sizes, runs, training and test)
        change = torch.maximum(ln[0] / ln[-1], ln[-1] / ln[0])[:, 1]
        return Kept([Sample(change), Sample((bn[-1] / bn[0])[:, 1])], losses=losses)

    @picture(
        "Loss after training with normalisation over B examples",
        x="examples normalised together B",
        y="mean squared error",
        log="xy",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        kinds: tuple[tuple[str, Role], ...] = ("LN", "measured"), ("BN", "other")
        for losses, (name, role) in zip(trial.kept.losses, kinds, strict=True):
            for which, found in zip(("training", "test"), losses.unbind(dim=2), strict=True):
                low, high = found.min(1).values, found.max(1).values
                label, sizes = f"{name}, {which}, range of runs", trial.given.sizes
                yield Points(sizes, found.mean(1), label, role, low=low, high=high)

    def _trained(self, kind: Callable[..., nn.Module], B: int, seed: int) -> tuple[float, float]:
        """Training loss, in training mode, and test loss."""
        rng = torch.Generator().manual_seed(seed)
        x = normal(rng, 64 + 256, 4)
        y = x[:, :1] + x[:, 1:2].abs()
        norm = InPieces(kind(16, dtype=torch.float64), B)
        first = LinearLayer(4, 16, bias=True, rng=rng)
        net = nn.Sequential(first, norm, nn.ReLU(), LinearLayer(16, 1, bias=True, rng=rng))
        adam = torch.optim.Adam(net.parameters(), lr=0.03)
        history = fit(net, (x[:64], y[:64]), nn.functional.mse_loss, adam, steps=self.steps)
        with torch.no_grad():
            test = nn.functional.mse_loss(net.eval()(x[64:]), y[64:])
        return float(history[-1].loss), float(test)


class InPieces(nn.Module):
    """A layer that is handed B rows at a time while training, and all of them after."""

    def __init__(self, norm: nn.Module, B: int) -> None:
        super().__init__()
        self.norm, self.B = norm, B

    def forward(self, z: Tensor) -> Tensor:
        """The outputs of the pieces, joined."""
        pieces = z.split(self.B) if self.training else [z]
        return torch.cat([self.norm(piece) for piece in pieces])
