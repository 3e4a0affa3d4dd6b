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

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.claims.sequences._reversal import accuracies
from corollary.core import Claim, Figure, Hypothesis, Level, Points, Sample, at_least, option


class Given(NamedTuple):
    """A seed, lengths, and whether the second model attends."""

    seed: int
    lengths: tuple[int, ...]
    attends: bool


class TranslationBottleneck(Claim[Given]):
    lengths: tuple[int, ...] = (3, 6, 9)  # lengths T of the sequences, growing
    K: int = option(6, low=2, high=20)  # tokens
    m: int = option(12, low=4, high=64)  # units of each network
    steps: int = option(300, low=1, high=5000)  # steps of Adam
    runs: int = option(10, low=2, high=30)  # models of each kind at each length
    relation = at_least(level=0.95)  # means over the models, with a Student interval

    def given(self, rng: Generator) -> Given:
        """A seed."""
        return Given(int(torch.randint(2**31, (), generator=rng)), self.lengths, True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Two models, and room to forget."""
        yield Hypothesis("the second model attends", given.attends)
        far = given.lengths[-1] >= 3 * given.lengths[0]
        yield Hypothesis("the longest is three times the shortest", far)

    def predict(self, given: Given) -> list[float]:
        """The fall of the first model, and the lead of the second."""
        return [0.3, 0.1]

    def measure(self, given: Given) -> list[Sample]:
        """Both, model by model."""
        plain, second = self._accuracies(given, False), self._accuracies(given, given.attends)
        fall = plain[0] - plain[-1]
        return [Sample(fall), Sample(second[-1] - plain[-1])]

    def counterexample(self, rng: Generator) -> Given:
        """Two models without attention."""
        given = self.given(rng)
        return given._replace(attends=False, lengths=given.lengths[:1])

    def figure(self, given: Given) -> Figure:
        """Accuracy against length."""
        marks = []
        for attends, label, role in (
            (False, "one vector", "other"),
            (True, "with attention", "measured"),
        ):
            rows = self._accuracies(given, attends)
            marks.append(
                Points(given.lengths, rows.mean(dim=1), label=f"{label}, range of runs",
                       role=role, low=rows.amin(dim=1), high=rows.amax(dim=1))
            )  # fmt: skip
        guess = Level(1 / self.K, label="guessing")
        return Figure("Sequences said backwards", x="length T", y="part of tokens right",
                      marks=(*marks, guess))  # fmt: skip

    def _accuracies(self, given: Given, attends: bool) -> Tensor:
        """A row a length, a column a run."""
        sizes = (self.K, self.m, self.steps, attends)
        rows = [accuracies(given.seed, self.runs, T, *sizes) for T in given.lengths]
        return torch.tensor(rows, dtype=torch.float64)
