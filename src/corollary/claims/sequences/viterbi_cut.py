r"""The Viterbi algorithm finds the best segmentation of a word into tokens.

A string of :math:`n` letters has :math:`2^{n-1}` cuts :math:`u_1 \cdots u_k`. If the weight of a
cut is the product of the weights of its pieces, the best one up to each place extends a best one
up to an earlier place,

.. math:: B(e) = \max_{s < e} \; B(s) + \log p(u_{s:e}), \qquad
    B(n) = \max_{u_1 \cdots u_k} \sum_j \log p(u_j),

so that :math:`O(n \ell)` additions find it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5, Tokenization; Kudo (2018),
    Subword regularization, Section 3.2; Viterbi (1967), Error bounds for convolutional codes.
:kind: algorithm
:covers: unigram-tokenizer
"""

from itertools import combinations, pairwise
from math import inf
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Parity, Suppose, Trial, equals, normal, option
from corollary.core.picture import Histogram, Level, Marks, picture
from corollary.theory.sequences.tokenizers.lattice import best_cut


class Given(NamedTuple):
    words: list[str]
    scores: dict[str, float]  # log weights of pieces
    longest: int  # letters of a piece that the algorithm looks at
    bonus: float = 0.0  # for each piece that repeats the one before it


def pieces(word: str, longest: int) -> set[str]:
    """All short pieces of a word."""
    n = len(word)
    return {word[i:j] for i in range(n) for j in range(i + 1, min(n, i + longest) + 1)}


def all_weights(word: str, given: Given) -> list[float]:
    """The weight of every cut."""
    n, weights = len(word), []
    for k in range(n):
        for inner in combinations(range(1, n), k):
            cut = [word[a:b] for a, b in pairwise((0, *inner, n))]
            repeats = sum(a == b for a, b in pairwise(cut))
            weights.append(sum(given.scores.get(u, -inf) for u in cut) + given.bonus * repeats)
    return weights


class ViterbiCut(Claim[Given]):
    n: int = option(9, low=2, high=16)  # letters of a word
    words: int = option(12, low=1, high=100)  # words
    longest: int = 4  # letters of a piece

    relation = equals(ulps=64)  # sums of at most n terms of one sign, in another order
    supposes = (
        Suppose(
            "the weight of a cut is the product over its pieces",
            lambda g: g.bonus == 0,
            "A piece that repeats its neighbour gets a bonus, which the algorithm cannot take "
            "into account.",
            bonus=4.0,
        ),
        Suppose(
            "the algorithm considers pieces of every length",
            lambda g: g.longest >= max(map(len, g.scores)),
            "If the algorithm considers only single letters, it misses longer pieces.",
            longest=1,
        ),
    )
    symbols = "best of all cuts", "found by Viterbi"
    shows = Parity("Weight of the best cut of each word")

    def given(self, rng: Generator) -> Given:
        """Random words of two letters, and random weights for all their short pieces."""
        coins = torch.randint(2, (self.words, self.n), generator=rng)
        words = ["".join("ab"[c] for c in row) for row in coins.tolist()]
        all_pieces = sorted({u for w in words for u in pieces(w, self.longest)})
        log_p = torch.log_softmax(1.5 * normal(rng, len(all_pieces)), dim=0).tolist()
        return Given(words, dict(zip(all_pieces, log_p, strict=True)), self.longest)

    def predict(self, given: Given) -> list[float]:
        return [max(all_weights(word, given)) for word in given.words]

    def measure(self, given: Given) -> list[float]:
        return [best_cut(word, given.scores, given.longest)[1] for word in given.words]

    @picture("All cuts of one word", x="log weight of a cut", y="density")
    def marks(self, trial: Trial[Given]) -> Marks:
        word = trial.given.words[0]
        weights = [w for w in all_weights(word, trial.given) if w > -inf]
        label = f"all {len(weights)} cuts of {word}"
        yield Histogram(weights, label=label, role="predicted", bins=30)
        yield Level(trial.measured[0], label=self.symbols[1], role="measured", axis="x")
