r"""The bottleneck of the encoder-decoder, and attention as the way around it.

An encoder-decoder passes a source of any length through one vector of m numbers. Trained to say
sequences of T tokens backwards, for the same number of steps at each length,

* without attention the part of tokens that are right falls by at least 0.3 from the shortest
  length to the longest,
* with attention it is at least 0.1 higher at the longest length,

on the mean over models that differ in their start.

:source: Perez Jensen (2025), Deep Learning, Section 5.3; Bahdanau, Cho and Bengio (2015), "Neural
    machine translation by jointly learning to align and translate", Figure 2.
:kind: experiment
:cost: minutes
:covers: seq2seq-encoder-decoder, bahdanau-attention
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.claims.sequences._reversal import accuracies
from corollary.core import Claim, Kept, Sample, Suppose, Trial, at_least, option
from corollary.core.picture import Level, Marks, Points, Role, picture


class Given(NamedTuple):
    lengths: tuple[int, ...]  # of the sequences, growing
    units: int  # of the attention of the second model, none for 0


class TranslationBottleneck(Claim[Given]):
    lengths: tuple[int, ...] = (3, 6, 9)  # lengths T of the sequences, growing
    K: int = option(6, low=2, high=20)  # tokens
    m: int = option(12, low=4, high=64)  # units of each network
    steps: int = option(300, low=1, high=5000)  # steps of Adam
    runs: int = option(10, low=2, high=30)  # models of each kind at each length

    relation = at_least(level=0.95)  # means over the models, with a Student interval
    supposes = (
        Suppose(
            "the second model uses attention",
            lambda g: g.units,
            "If the second model has no attention, it is not better than the first.",
            units=0,
        ),
        Suppose(
            "the longest sequence is three times as long as the shortest",
            lambda g: g.lengths[-1] - 3 * g.lengths[0] + 1,
            "If all lengths are equal, the accuracy does not fall.",
            lengths=lambda g: g.lengths[:1],
        ),
    )
    symbols = "at least", "difference of token accuracy"
    predicts = [0.3, 0.1]
    rows = "fall without attention", "lead of attention at the greatest length"

    def given(self, rng: Generator) -> Given:
        return Given(self.lengths, self.m)

    def measure(self, given: Given, rng: Generator) -> Kept:
        seed = int(torch.randint(2**31, (), generator=rng))

        def rows(attends: bool) -> Tensor:  # a row for each length, a column for each run
            sizes = (self.K, self.m, self.steps, attends)
            found = [accuracies(seed, self.runs, T, *sizes) for T in given.lengths]
            return torch.tensor(found, dtype=torch.float64)

        plain, second = rows(False), rows(given.units > 0)
        samples = [Sample(plain[0] - plain[-1]), Sample(second[-1] - plain[-1])]
        return Kept(samples, plain=plain, second=second)

    @picture("Sequences in reverse order", x="length T", y="share of right tokens")
    def marks(self, trial: Trial[Given]) -> Marks:
        def drawn(rows: Tensor, label: str, role: Role) -> Points:
            low, high = rows.amin(dim=1), rows.amax(dim=1)
            label = f"{label}, range of runs"
            return Points(trial.given.lengths, rows.mean(dim=1), label, role, low, high)

        yield drawn(trial.kept.plain, "one vector", "other")
        yield drawn(trial.kept.second, "with attention", "measured")
        yield Level(1 / self.K, label="guessing")
