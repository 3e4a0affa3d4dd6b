r"""Pairs for next sentence prediction.

Of the pairs of sentences half are true successors. If negatives are drawn among the sentences
that follow the first one *nowhere* in the corpus, then

.. math:: P(\text{follows}) = \tfrac12, \qquad
    P(\text{a true successor} \mid \text{labelled as none}) = 0 .

A corpus that repeats itself needs the condition: a sentence drawn without looking follows the
first one somewhere with positive probability, and its label is then wrong.

:source: Perez Jensen (2025), Deep Learning, Section 6.5; Devlin, Chang, Lee, Toutanova (2018),
    BERT: pre-training of deep bidirectional transformers, Section 3.1.
:kind: algorithm
:cost: instant
:covers: next-sentence-prediction
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Count, Figure, Hypothesis, Level, Points, within_interval
from corollary.data.sentence_pairs import Pair, nsp_pairs, successors


class Given(NamedTuple):
    """A corpus, pairs drawn from it, and whether successors were excluded."""

    corpus: list[list[int]]
    pairs: list[Pair]
    excluded: bool


@dataclass(frozen=True)
class NextSentencePairs(Claim[Given]):
    """The share of successors, and of successors among negatives."""

    documents: int = 10  # documents of the corpus
    length: int = 20  # sentences of a document
    kinds: int = 12  # different sentences; few, so that the corpus repeats itself
    pairs: int = 4000  # pairs drawn
    relation = within_interval(resolution=0.03)  # 4000 pairs: ±0.024 at most

    def given(self, rng: Generator) -> Given:
        """Documents in which a sentence has few successors, and pairs of them."""
        return self._drawn(True, rng)

    def _drawn(self, exclude: bool, rng: Generator) -> Given:
        size = (self.documents, self.length)
        steps = torch.randint(1, 4, size, generator=rng, device=rng.device)
        corpus = (steps.cumsum(1) % self.kinds).tolist()  # one to three numbers further
        pairs = nsp_pairs(corpus, self.pairs, exclude_successors=exclude, rng=rng)
        return Given(corpus, pairs, exclude)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Negatives are chosen with care."""
        yield Hypothesis("negatives are drawn among sentences that never follow", given.excluded)

    def predict(self, given: Given) -> list[float]:
        """A half, and none."""
        return [0.5, 0.0]

    def measure(self, given: Given) -> list[Count]:
        """Counted."""
        follow = successors(given.corpus)
        negatives = [p for p in given.pairs if not p.follows]
        wrong = sum((p.first, p.second) in follow for p in negatives)
        positives = len(given.pairs) - len(negatives)
        return [Count(positives, len(given.pairs)), Count(wrong, len(negatives))]

    def counterexample(self, rng: Generator) -> Given:
        """Negatives drawn without looking."""
        return self._drawn(False, rng)

    def figure(self, given: Given) -> Figure:
        """Wrong labels with and without care."""
        rng = torch.Generator().manual_seed(0)
        blind = self._drawn(False, rng)
        shown = [self.measure(given)[0], self.measure(given)[1], self.measure(blind)[1]]
        readings = [count.read(0.99) for count in shown]
        return Figure(
            "True successors among the pairs",
            x="1: all pairs, 2: negatives, 3: negatives drawn without looking",
            y="share of true successors",
            marks=(
                Level(0.5, label="1/2"),
                Level(0.0, label="none"),
                Points(
                    [1, 2, 3],
                    [r.value for r in readings],
                    label="counted, with 99 % intervals",
                    low=[r.low for r in readings],
                    high=[r.high for r in readings],
                ),
            ),
        )
