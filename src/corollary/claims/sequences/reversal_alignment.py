r"""Attention learns to align: reversal runs along the anti-diagonal.

An encoder-decoder with additive attention is trained to say T tokens backwards. Nothing tells it
where to look, yet in a trained model output i looks at place T + 1 - i of the source, or at the
next one: the state there has just read the token that was said last, and still knows the token
that is wanted. On average over models, at least 80 % of all outputs have the largest weight at one
of the two, against a part of about 2/T before the training.

:source: Perez Jensen (2025), Deep Learning, Section 5.3; Bahdanau, Cho and Bengio (2015), "Neural
    machine translation by jointly learning to align and translate".
:kind: experiment
:cost: minutes
:covers: bahdanau-attention
"""

from typing import NamedTuple

import torch
from torch import Generator

from corollary.claims.sequences._reversal import trained, unseen
from corollary.core import Claim, Kept, Sample, Suppose, Trial, at_least, option
from corollary.core.picture import Curve, HeatMap, Marks, picture


class Given(NamedTuple):
    """Seeds of the models, and how long each is trained."""

    seeds: tuple[int, ...]
    steps: int


class ReversalAlignment(Claim[Given]):
    T: int = option(6, low=3, high=12)  # length of a sequence
    K: int = option(6, low=3, high=20)  # tokens
    m: int = option(16, low=4, high=64)  # units of each network
    steps: int = option(120, low=1, high=5000)  # steps of Adam
    runs: int = option(5, low=2, high=30)  # models

    relation = at_least()  # the whole 99 % interval of the mean over the models
    supposes = Suppose(
        "the models are trained",
        lambda g: g.steps,
        "Untrained models attend to random places.",
        steps=0,
    )
    symbols = "0.8", "outputs that attend to T + 1 − i or a neighbour"
    predicts = 0.8

    def given(self, rng: Generator) -> Given:
        seeds = torch.randint(2**31, (self.runs,), generator=rng).tolist()
        return Given(tuple(seeds), self.steps)

    @torch.no_grad()
    def measure(self, given: Given) -> Kept:
        mirror, shares = torch.arange(self.T - 1, -1, -1), []
        for seed in given.seeds:
            with torch.enable_grad():
                net = trained(seed, self.T, self.K, self.m, given.steps, True)
            weights = net.alignment(*unseen(seed, self.T, self.K))  # (B, T, T)
            peak = weights.argmax(dim=2)  # places from 0
            shares.append(float(((peak == mirror) | (peak == mirror + 1)).double().mean()))
        return Kept(Sample(shares), weights=weights.mean(dim=0))

    @picture(
        "Attention of each output to the source",
        x="place j of the source",
        y="output i",
        equal=True,
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        edges = (0.5, self.T + 0.5)
        yield HeatMap(trial.kept.weights.tolist(), x=edges, y=edges, label="mean of a_ij")
        yield Curve([self.T, 1], x=[1, self.T], label="j = T + 1 − i", role="predicted")
