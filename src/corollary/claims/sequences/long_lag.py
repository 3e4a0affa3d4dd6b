r"""An LSTM keeps a cue that an Elman network loses.

A cue of -1 or +1 is shown once, followed by T - 1 steps of noise; then its sign is asked for. The
gradient that would tell an Elman network with :math:`\sigma_1(U)=0.9` about the cue is at most
:math:`0.9^{T-1}` of what the end sees; that of an LSTM is the product of its forget gates, which
start at :math:`\sigma(b_F)`. After the same few steps of training

* the LSTM answers at least 90 % of new sequences,
* the Elman network at least 25 points less, close to guessing.

It takes gates that start open: with :math:`b_F=0` the product is :math:`2^{-T}`, and the LSTM
fails as well.

:source: Perez Jensen (2025), Deep Learning, Section 5.1; Hochreiter and Schmidhuber (1997), "Long
    short-term memory"; Gers, Schmidhuber and Cummins (2000), "Learning to forget".
:kind: experiment
:cost: seconds
:covers: lstm
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, at_least, option
from corollary.data.toy_sequences import lagged_cue
from corollary.models.mlp import LinearLayer
from corollary.models.recurrent.cell import Cell
from corollary.models.recurrent.elman import ElmanCell
from corollary.models.recurrent.lstm import LSTMCell
from corollary.models.recurrent.network import RecurrentNetwork
from corollary.train import fit


class Given(NamedTuple):
    """A seed and the setting."""

    seed: int
    T: int
    steps: int
    remember: float  # first offset of the forget gates


@dataclass(frozen=True)
class LongLag(Claim[Given]):
    """Accuracies on new sequences after training."""

    T: int = option(30, low=10, high=200)  # length of a sequence
    steps: int = option(30, low=20, high=1000)  # steps of Adam
    remember: float = option(4.0, low=0.0, high=10.0)  # first offset b_F of the forget gates
    relation = at_least()  # parts of 512 answers, with room for an unlucky start

    def given(self, rng: Generator) -> Given:
        """A seed."""
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(seed, self.T, self.steps, self.remember)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Open gates."""
        opening = torch.sigmoid(torch.tensor(given.remember)).item() ** given.T
        yield Hypothesis("forget gates start open: σ(b_F)^T > 0.1", opening > 0.1, f"{opening:.2g}")

    def predict(self, given: Given) -> list[float]:
        """Accuracy of the LSTM, and its lead."""
        return [0.9, 0.25]

    def measure(self, given: Given) -> list[float]:
        """The same, measured."""
        lstm, elman = _trained(given, True)[0], _trained(given, False)[0]
        return [lstm, lstm - elman]

    def counterexample(self, rng: Generator) -> Given:
        """Gates that start half open."""
        return self.given(rng)._replace(remember=0.0)

    def figure(self, given: Given) -> Figure:
        """Losses while training."""
        marks = (
            Curve(_trained(given, True)[1], label="LSTM"),
            Curve(_trained(given, False)[1], label="Elman network", role="other"),
            Level(0.6931471805599453, label="guessing, ln 2"),
        )
        return Figure(f"A cue kept over {given.T} steps", x="steps of Adam", y="cross entropy",
                      marks=marks)  # fmt: skip


@lru_cache(maxsize=8)
def _trained(given: Given, gated: bool) -> tuple[float, tuple[float, ...]]:
    """Accuracy on new sequences, and the losses on the way."""
    rng = torch.Generator().manual_seed(given.seed)
    m = 8
    net = RecurrentNetwork(
        _cell(given, gated, m, rng), LinearLayer(m, 2, bias=True, rng=rng), "last"
    )
    x, y = lagged_cue(1536, given.T, noise=0.5, rng=rng)
    adam = torch.optim.Adam(net.parameters(), lr=0.02)
    history = fit(net, (x[:1024], y[:1024]), nn.functional.cross_entropy, adam, steps=given.steps,
                  batch_size=128, rng=given.seed, clip=1.0)  # fmt: skip
    with torch.no_grad():
        right = net(x[1024:]).argmax(dim=1) == y[1024:]
    return float(right.double().mean()), tuple(float(record.loss) for record in history)


def _cell(given: Given, gated: bool, m: int, rng: Generator) -> Cell:
    if gated:
        return LSTMCell(2, m, remember=given.remember, rng=rng)
    cell = ElmanCell(2, m, rng=rng)
    with torch.no_grad():
        cell.U.mul_(0.9 / torch.linalg.matrix_norm(cell.U, ord=2))
    return cell
