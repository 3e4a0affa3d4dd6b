r"""Recurrent networks over characters, with as many parameters and characters as the GPT.

Elman, GRU and LSTM networks have one layer of the width that gives about 0.8 million parameters.
Cells whose gates do not see the state (minGRU) or that are linear (LRU) need depth. They replace
attention in four blocks of the same width as the GPT. Every network reads windows of 64 characters
from a state of zero, and is trained like the GPT.

:source: Elman (1990), "Finding structure in time"; Hochreiter and Schmidhuber (1997), "Long
    short-term memory"; Cho et al. (2014), "Learning phrase representations using RNN
    encoder-decoder"; Orvieto et al. (2023), "Resurrecting recurrent neural networks for long
    sequences"; Feng et al. (2024), "Were RNNs all we needed?".
:cost: minutes
"""

from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Experiment, Outcome, Row
from corollary.experiments.characters._characters import CHARACTERS, learn_characters
from corollary.models.layer_norm import LayerNorm
from corollary.models.mlp import LinearLayer
from corollary.models.recurrent.elman import ElmanCell
from corollary.models.recurrent.gru import GRUCell
from corollary.models.recurrent.lru import LRU
from corollary.models.recurrent.lstm import LSTMCell
from corollary.models.recurrent.mingru import MinGRU
from corollary.models.recurrent.network import RecurrentNetwork
from corollary.models.transformers.embedding import TokenEmbedding
from corollary.models.transformers.sublayers import FeedForward, Sublayer

WIDTH = 128  # numbers per character
CELLS = {"Elman": (ElmanCell, 800), "GRU": (GRUCell, 440), "LSTM": (LSTMCell, 375)}


class ShakespeareRecurrent(Experiment):
    kind: Literal["Elman", "GRU", "LSTM", "minGRU", "LRU"] = "GRU"  # of the recurrence
    layers: int = 4  # blocks of minGRU and LRU
    steps: int = 2000  # of the optimizer
    windows: int = 1742  # of 64 characters that test: all of them

    metric = "validation loss in nats per character"
    better = "lower"
    rows = tuple(
        Row(f"{kind}, tiny Shakespeare", kind=kind)
        for kind in ("Elman", "GRU", "LSTM", "minGRU", "LRU")
    )
    seeds = 3
    quick = {"steps": 5, "layers": 1, "windows": 50}

    def run(self, seed: int) -> Outcome:
        rng = torch.Generator().manual_seed(seed)
        sizes = {"steps": self.steps, "windows": self.windows}
        return learn_characters(self._net(rng), **sizes, seed=seed)

    def _net(self, rng: Generator) -> nn.Module:
        how: dict[str, Any] = {"rng": rng, "dtype": torch.float32}
        table = TokenEmbedding(CHARACTERS, WIDTH, "none", **how)
        if self.kind in CELLS:
            cell, m = CELLS[self.kind]
            head = LinearLayer(m, CHARACTERS, bias=True, **how)
            return nn.Sequential(table, RecurrentNetwork(cell(WIDTH, m, **how), head))
        blocks = [RecurrentBlock(self.kind, rng) for _ in range(self.layers)]
        last = LinearLayer(WIDTH, CHARACTERS, **how)
        return nn.Sequential(table, *blocks, LayerNorm(WIDTH, dtype=torch.float32), last)


class RecurrentBlock(nn.Module):
    """A transformer block with a recurrence instead of attention."""

    def __init__(self, kind: str, rng: Generator) -> None:
        super().__init__()
        how: dict[str, Any] = {"rng": rng, "dtype": torch.float32}
        if kind == "LRU":
            self.recurrence: nn.Module = LRU(WIDTH, WIDTH, output=nn.GELU(), **how)
        else:
            self.recurrence = _Scan(MinGRU(WIDTH, WIDTH, **how))
        self.mix = LinearLayer(WIDTH, WIDTH, **how)
        self.small = FeedForward(WIDTH, 4 * WIDTH, "gelu", **how)
        self.sum1, self.sum2 = (Sublayer(WIDTH, "pre", 1.0, 0.0, torch.float32) for _ in range(2))

    def forward(self, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
        """The sequence after the block."""
        x = self.sum1(x, lambda x: self.mix(self.recurrence(x)))
        out: Tensor = self.sum2(x, self.small)
        return out


class _Scan(nn.Module):
    """All states of a minGRU at once."""

    def __init__(self, cell: MinGRU) -> None:
        super().__init__()
        self.cell = cell

    def forward(self, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
        return self.cell.states(x)
