r"""An LSTM keeps a cue that an Elman network loses.

A cue of -1 or +1 is shown once, followed by T - 1 steps of noise; then its sign is asked for. The
gradient that would tell an Elman network with :math:`\sigma_1(U)=0.9` about the cue is at most
:math:`0.9^{T-1}` of what the end sees; that of an LSTM is the product of its forget gates, which
start at :math:`\sigma(b_F)`. On average over runs, after the same few steps of training

* the LSTM answers at least 90 % of new sequences,
* the Elman network at least 25 points less, close to guessing.

It takes gates that start open: with :math:`b_F=0` the product is :math:`2^{-T}`, and the LSTM
fails as well.

:source: Perez Jensen (2025), Deep Learning, Section 5.1; Hochreiter and Schmidhuber (1997), "Long
    short-term memory"; Gers, Schmidhuber and Cummins (2000), "Learning to forget".
:kind: experiment
:cost: seconds
:uses: constant_error_carousel, state_gradient_bound
:covers: lstm
"""

from copy import deepcopy
from math import log
from typing import Any, NamedTuple

import torch
from torch import Generator, nn

from corollary.core import Claim, Kept, Sample, Suppose, Trial, at_least, option
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.data.toy_sequences import lagged_cue
from corollary.models.mlp import LinearLayer
from corollary.models.recurrent.cell import Cell
from corollary.models.recurrent.elman import ElmanCell
from corollary.models.recurrent.lstm import LSTMCell
from corollary.models.recurrent.network import RecurrentNetwork
from corollary.train import fit

UNITS = 8


class Given(NamedTuple):
    """The cells to train, one of each kind per run."""

    gated: list[LSTMCell]
    plain: list[ElmanCell]


def contracting(rng: Generator) -> ElmanCell:
    """An Elman cell whose largest singular value is 0.9."""
    cell = ElmanCell(2, UNITS, rng=rng)
    cell.U.data.mul_(0.9 / torch.linalg.matrix_norm(cell.U, ord=2))
    return cell


def half_open(given: Given, rng: Generator) -> Given:
    """Gates that start half open lose the cue as well."""
    return given._replace(gated=[LSTMCell(2, UNITS, remember=0.0, rng=rng) for _ in given.gated])


def opening(self: "LongLag", given: Given) -> tuple[bool, str]:
    """What the forget gates leave of the cue at first, for an input of zero."""
    left = min(
        float(torch.sigmoid(cell.get_parameter("b_F").detach()).min()) ** self.T
        for cell in given.gated
    )
    return left > 0.1, f"{left:.2g}"


class LongLag(Claim[Given]):
    T: int = option(30, low=10, high=200)  # length of a sequence
    steps: int = option(30, low=20, high=1000)  # steps of Adam
    remember: float = option(4.0, low=0.0, high=10.0)  # first offset b_F of the forget gates
    runs: int = option(8, low=2, high=50)  # repetitions with other weights and sequences

    relation = at_least()  # the whole 99 % interval over the runs
    supposes = Suppose("forget gates start open: σ(b_F)^T > 0.1", opening, half_open)
    symbols = "0.9, and a lead of 0.25", "accuracy of the LSTM, and its lead"
    predicts = [0.9, 0.25]
    rows = "accuracy of the LSTM", "its lead over the Elman network"

    def given(self, rng: Generator) -> Given:
        gated = [LSTMCell(2, UNITS, remember=self.remember, rng=rng) for _ in range(self.runs)]
        return Given(gated, [contracting(rng) for _ in range(self.runs)])

    def measure(self, given: Given, rng: Generator) -> Kept:
        lstm, losses = zip(*(self.trained(cell, rng) for cell in given.gated), strict=True)
        elman, others = zip(*(self.trained(cell, rng) for cell in given.plain), strict=True)
        lead = [a - b for a, b in zip(lstm, elman, strict=True)]
        return Kept([Sample(lstm), Sample(lead)], lstm=losses[0], elman=others[0])

    def trained(self, cell: Cell, rng: Generator) -> tuple[float, list[float]]:
        """Accuracy on new sequences, and the losses on the way."""
        net = RecurrentNetwork(deepcopy(cell), LinearLayer(UNITS, 2, bias=True, rng=rng), "last")
        x, y = lagged_cue(1536, self.T, noise=0.5, rng=rng)
        adam = torch.optim.Adam(net.parameters(), lr=0.02)
        data = x[:1024], y[:1024]
        options: dict[str, Any] = {"batch_size": 128, "rng": rng, "clip": 1.0}
        history = fit(net, data, nn.functional.cross_entropy, adam, steps=self.steps, **options)
        with torch.no_grad():
            right = net(x[1024:]).argmax(dim=1) == y[1024:]
        return float(right.double().mean()), [float(record.loss) for record in history]

    @picture("A cue kept over {T} steps", x="steps of Adam", y="cross entropy")
    def marks(self, trial: Trial[Given]) -> Marks:
        yield Curve(trial.kept.lstm, label="LSTM")
        yield Curve(trial.kept.elman, label="Elman network", role="other")
        yield Level(log(2), label="guessing, ln 2")
