r"""Expectation maximisation of a unigram tokenizer.

A word's probability is the sum over all its cuts into pieces of :math:`\prod_j p(u_j)`. One step
of expectation maximisation counts each piece over all cuts, weighted by their probability under
:math:`p_t`, and takes the shares of the counts as :math:`p_{t+1}`. Then the likelihood of the
corpus never falls:

.. math:: \sum_w \#(w) \log P_{t+1}(w) \;\ge\; \sum_w \#(w) \log P_t(w) .

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5, Tokenization; Kudo (2018),
    Subword regularization, Section 3.2; Dempster, Laird, Rubin (1977), Maximum likelihood from
    incomplete data via the EM algorithm, Theorem 1.
:kind: theorem
:uses: gibbs_inequality
:covers: unigram-tokenizer
"""

import math
from collections import Counter
from typing import NamedTuple

from torch import Generator

from corollary.core import Along, Claim, Suppose, at_least
from corollary.data.small_language import documents
from corollary.theory.sequences.tokenizers.lattice import forward
from corollary.theory.sequences.tokenizers.unigram import em_step, seed_pieces

LONGEST = 5  # characters of a piece


class Given(NamedTuple):
    """Words with their numbers, and log probabilities of the pieces after each step."""

    words: Counter[str]
    path: list[dict[str, float]]


def is_run(given: Given) -> bool:
    """Whether the first step of the path is that of the algorithm."""
    after, path = em_step(given.words, given.path[0]).scores, given.path[1]
    return after.keys() == path.keys() and all(
        math.isclose(after[u], path[u], rel_tol=1e-9, abs_tol=1e-12) for u in after
    )


class UnigramLikelihood(Claim[Given]):
    sentences: int = 30  # sentences of the corpus
    pieces: int = 200  # pieces of several letters at the start
    steps: int = 8  # steps of expectation maximisation

    relation = at_least(ulps=256)  # sums of some hundred logarithms
    supposes = Suppose(
        "each model holds the expected frequencies under the previous model",
        is_run,
        "The same models in the opposite order lose likelihood.",
        path=lambda g: g.path[::-1],
    )
    symbols = "before step t", "after step t"
    shows = Along("Expectation maximisation climbs", x="step t", y="log-likelihood", first=1)

    def given(self, rng: Generator) -> Given:
        (document,) = documents(1, self.sentences, rng=rng)
        words = Counter(word for sentence in document for word in sentence.words)
        path = [seed_pieces(words, self.pieces, LONGEST)]
        for _ in range(self.steps):
            path.append(em_step(words, path[-1]).scores)
        return Given(words, path)

    def predict(self, given: Given) -> list[float]:
        return [em_step(given.words, scores).likelihood for scores in given.path[:-1]]

    def measure(self, given: Given) -> list[float]:
        return [
            sum(n * forward(word, p, max(map(len, p)))[-1] for word, n in given.words.items())
            for p in given.path[1:]
        ]
