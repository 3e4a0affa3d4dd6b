r"""The best cut of a word, by Viterbi.

A string of :math:`n` letters has :math:`2^{n-1}` cuts :math:`u_1 \cdots u_k`. If the weight of a
cut is the product of the weights of its pieces, the best one up to each place extends a best one
up to an earlier place,

.. math:: B(e) = \max_{s < e} \; B(s) + \log p(u_{s:e}), \qquad
    B(n) = \max_{u_1 \cdots u_k} \sum_j \log p(u_j),

so that :math:`O(n \ell)` additions find it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5, Tokenization; Kudo (2018),
    Subword regularization, Section 3.2; Viterbi (1967), Error bounds for convolutional codes.
:kind: algorithm
:cost: instant
:covers: unigram-tokenizer
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Figure, Histogram, Hypothesis, Level, equals, option
from corollary.theory.sequences.tokenizers.lattice import best_cut


class Given(NamedTuple):
    """Words, log weights of pieces, and a bonus for each piece that repeats the one before it."""

    words: list[str]
    scores: dict[str, float]
    bonus: float


@dataclass(frozen=True)
class ViterbiCut(Claim[Given]):
    """The value found from left to right against the best of all cuts."""

    n: int = option(9, low=2, high=16)  # letters of a word
    words: int = option(12, low=1, high=100)  # words
    longest: int = 4  # letters of a piece
    relation = equals(ulps=64)  # sums of at most n terms of one sign, in another order

    def given(self, rng: Generator) -> Given:
        """Random words of two letters, and random weights for all their short pieces."""
        coins = torch.randint(2, (self.words, self.n), generator=rng, device=rng.device)
        words = ["".join("ab"[c] for c in row) for row in coins.tolist()]
        pieces = sorted({u for w in words for u in _pieces(w, self.longest)})
        normal = torch.randn(len(pieces), generator=rng, device=rng.device, dtype=torch.float64)
        log_p = torch.log_softmax(1.5 * normal, dim=0).tolist()
        return Given(words, dict(zip(pieces, log_p, strict=True)), 0.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Pieces are independent."""
        yield Hypothesis("the weight of a cut is the product over its pieces", given.bonus == 0)

    def predict(self, given: Given) -> list[float]:
        """The best of all cuts, one by one."""
        return [max(_all_weights(word, given)) for word in given.words]

    def measure(self, given: Given) -> list[float]:
        """What goes once from left to right."""
        longest = max(map(len, given.scores))
        return [best_cut(word, given.scores, longest)[1] for word in given.words]

    def counterexample(self, rng: Generator) -> Given:
        """A piece that repeats its neighbour counts for more: the last piece alone is no state."""
        return self.given(rng)._replace(bonus=4.0)

    def figure(self, given: Given) -> Figure:
        """The weights of all cuts of one word."""
        word, found = given.words[0], self.measure(given)[0]
        weights = [w for w in _all_weights(word, given) if w > -torch.inf]
        return Figure(
            f"All {len(weights)} cuts of {word}",
            x="log weight of a cut",
            y="density",
            marks=(
                Histogram(weights, label="all cuts", role="predicted", bins=30),
                Level(found, label="found by Viterbi", role="measured", axis="x"),
            ),
        )


def _pieces(word: str, longest: int) -> set[str]:
    n = len(word)
    return {word[i:j] for i in range(n) for j in range(i + 1, min(n, i + longest) + 1)}


def _all_weights(word: str, given: Given) -> list[float]:
    n, weights = len(word), []
    for k in range(n):
        for inner in combinations(range(1, n), k):
            ends = (0, *inner, n)
            cut = [word[a:b] for a, b in zip(ends, ends[1:], strict=False)]
            repeats = sum(a == b for a, b in zip(cut, cut[1:], strict=False))
            value = sum(given.scores.get(u, -torch.inf) for u in cut)
            weights.append(value + given.bonus * repeats)
    return weights
