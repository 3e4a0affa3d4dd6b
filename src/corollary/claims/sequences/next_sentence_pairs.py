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
:covers: next-sentence-prediction
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Along, Claim, Count, Suppose, within_interval
from corollary.data.sentence_pairs import Pair, nsp_pairs, successors

SMALL = [[0, 1, 2, 0, 2, 3], [1, 3, 0, 1]]  # a corpus on which a sampler is tried


class Given(NamedTuple):
    corpus: list[list[int]]  # sentences of documents
    draw: Callable[..., list[Pair]]  # how pairs are drawn from it
    share: float = 0.5  # share of successors among them


def counted(corpus: list[list[int]], pairs: list[Pair]) -> list[Count]:
    """Pairs labelled as successors; true successors among the other pairs."""
    follow = successors(corpus)
    negatives = [p for p in pairs if not p.follows]
    wrong = sum((p.first, p.second) in follow for p in negatives)
    return [Count(len(pairs) - len(negatives), len(pairs)), Count(wrong, len(negatives))]


def looks(given: Given) -> bool:
    """Whether no negative of a small corpus is a successor."""
    pairs = given.draw(SMALL, 400, rng=Generator().manual_seed(0))
    return counted(SMALL, pairs)[1].hits == 0


class NextSentencePairs(Claim[Given]):
    documents: int = 10  # documents of the corpus
    length: int = 20  # sentences of a document
    kinds: int = 12  # different sentences; few, so that the corpus repeats itself
    pairs: int = 4000  # pairs drawn

    relation = within_interval(resolution=0.03)  # 4000 pairs: ±0.024 at most
    supposes = (
        Suppose(
            "negatives are drawn among sentences that never follow the first one in the corpus",
            looks,
            "If negatives are drawn at random, some of them are true successors.",
            draw=lambda g: partial(nsp_pairs, exclude_successors=False),
        ),
        Suppose(
            "a pair is a successor with probability 1/2",
            lambda g: g.share == 0.5,
            "A third of the pairs are successors.",
            share=1 / 3,
        ),
    )
    symbols = "1/2, and 0", "share of true successors"
    predicts = [0.5, 0.0]
    rows = "all pairs", "pairs labelled as not consecutive"
    shows = Along("True successors among the pairs", x="pairs")

    def given(self, rng: Generator) -> Given:
        """Documents in which a sentence has few successors: those one to three further."""
        steps = torch.randint(1, 4, (self.documents, self.length), generator=rng)
        return Given((steps.cumsum(1) % self.kinds).tolist(), nsp_pairs)

    def measure(self, given: Given, rng: Generator) -> list[Count]:
        pairs = given.draw(given.corpus, self.pairs, share=given.share, rng=rng)
        return counted(given.corpus, pairs)
