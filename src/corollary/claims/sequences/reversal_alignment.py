r"""Attention learns to align: reversal runs along the anti-diagonal.

An encoder-decoder with additive attention is trained to say T tokens backwards. Nothing tells it
where to look, yet in a trained model output i looks at place T + 1 - i of the source, or at the
next one: the state there has just read the token that was said last, and still knows the token
that is wanted. At least 80 % of all outputs have the largest weight at one of the two, against a
part of about 2/T before the training.

:source: Perez Jensen (2025), Deep Learning, Section 5.3; Bahdanau, Cho and Bengio (2015), "Neural
    machine translation by jointly learning to align and translate".
:kind: experiment
:cost: seconds
:covers: bahdanau-attention
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.claims.sequences._reversal import accuracy, trained, unseen
from corollary.core import Claim, Curve, Figure, HeatMap, Hypothesis, at_least, option
from corollary.models.recurrent.seq2seq import Seq2Seq


class Given(NamedTuple):
    """A seed, and how long the model was trained."""

    seed: int
    steps: int


@dataclass(frozen=True)
class ReversalAlignment(Claim[Given]):
    """Where trained attention has its largest weights."""

    T: int = option(6, low=3, high=12)  # length of a sequence
    K: int = option(6, low=3, high=20)  # tokens
    m: int = option(16, low=4, high=64)  # units of each network
    steps: int = option(120, low=1, high=5000)  # steps of Adam
    relation = at_least()  # a part of all outputs, with room for rows that look elsewhere

    def given(self, rng: Generator) -> Given:
        """A seed."""
        return Given(int(torch.randint(2**31, (), generator=rng)), self.steps)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Success."""
        right = accuracy(self._net(given), unseen(given.seed, self.T, self.K))
        yield Hypothesis(
            "the model reverses: 3 of 4 tokens are right", right > 0.75, f"{right:.2f}"
        )

    def predict(self, given: Given) -> float:
        """A part of the outputs."""
        return 0.8

    def measure(self, given: Given) -> float:
        """Outputs whose largest weight lies at T + 1 - i or one place after it."""
        peak = self._alignment(given).argmax(dim=2)  # (B, T), places from 0
        mirror = torch.arange(self.T - 1, -1, -1)
        near = (peak == mirror) | (peak == mirror + 1)
        return float(near.double().mean())

    def counterexample(self, rng: Generator) -> Given:
        """No training."""
        return self.given(rng)._replace(steps=0)

    def figure(self, given: Given) -> Figure:
        """Mean weights over many sequences."""
        A, edge = self._alignment(given).mean(dim=0), self.T + 0.5
        box = HeatMap(A.tolist(), x=(0.5, edge), y=(0.5, edge), label="mean of a_ij")
        line = Curve([self.T, 1], x=[1, self.T], label="j = T + 1 − i", role="predicted")
        return Figure("Where each output looks", x="place j of the source", y="output i",
                      marks=(box, line), equal=True)  # fmt: skip

    def _net(self, given: Given) -> Seq2Seq:
        return trained(given.seed, self.T, self.K, self.m, given.steps, True)

    @torch.no_grad()
    def _alignment(self, given: Given) -> Tensor:
        return self._net(given).alignment(*unseen(given.seed, self.T, self.K))
