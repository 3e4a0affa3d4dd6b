r"""The unigram language-model tokenizer.

Each piece :math:`u` of the vocabulary has a probability :math:`p(u)`. A text is cut into the
pieces that maximise :math:`\prod_j p(u_j)`, found by Viterbi's algorithm. Training starts from many
pieces, fits :math:`p` by expectation maximisation over all segmentations,

.. math:: p_{\text{new}}(u) \propto
    \sum_{w} \#(w) \; E_{p}[\text{how often } u \text{ in a cut of } w],

takes away the pieces whose loss would cost the least likelihood, and repeats until the vocabulary
is small enough. Single characters always stay, so that every word over them can be cut.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5, Tokenization; Kudo (2018),
    Subword regularization: improving neural network translation models with multiple subword
    candidates, Section 3.2. SentencePiece's variational M step (a digamma of the counts) is left
    out: the plain one is the one under which the likelihood never falls.
:covers: unigram-tokenizer
:test: tests/theory/sequences/tokenizers/test_pipeline.py
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

from torch import Generator

from corollary.errors import InputError
from corollary.theory.sequences.tokenizers.lattice import (
    Scores,
    best_cut,
    drawn_cut,
    expected_pieces,
    expected_shares,
)
from corollary.theory.sequences.tokenizers.pipeline import (
    UNKNOWN,
    Normalizer,
    Tokenizer,
    Vocabulary,
    check_size,
)
from corollary.theory.sequences.tokenizers.words import counted_words, lossless_words

PENALTY = 10.0  # an unknown character is this much less likely (in logs) than the rarest piece
SMALLEST = 1e-12  # share of a character that no segmentation needs; it must stay possible


class Step(NamedTuple):
    """One step of expectation maximisation."""

    scores: dict[str, float]  # log p after the M step
    likelihood: float  # log-likelihood of the corpus under p before it


def em_step(words: Mapping[str, int], scores: Scores) -> Step:
    """Expected counts of all pieces over all cuts of all words, then their shares.

    Pieces that are expected nowhere go, except single characters.

    Example:
        >>> step = em_step({"aa": 1}, {"a": math.log(0.5), "aa": math.log(0.5)})
        >>> {u: round(math.exp(s), 6) for u, s in step.scores.items()}
        {'a': 0.5, 'aa': 0.5}
        >>> round(math.exp(step.likelihood), 6)
        0.75
    """
    longest = max(map(len, scores))
    totals, likelihood = dict.fromkeys(scores, 0.0), 0.0
    p = {u: math.exp(s) for u, s in scores.items()}
    for word, weight in words.items():
        counts, log_weight = expected_shares(word, p, longest) or expected_pieces(
            word, scores, longest
        )
        if log_weight == -math.inf:
            raise InputError(f"the pieces cannot build the word {word!r}")
        likelihood += weight * log_weight
        for piece, count in counts.items():
            totals[piece] += weight * count
    whole = sum(totals.values())
    kept = {u: max(c, SMALLEST * whole) for u, c in totals.items() if c > 0 or len(u) == 1}
    whole = sum(kept.values())
    return Step({u: math.log(c / whole) for u, c in kept.items()}, likelihood)


def seed_pieces(words: Mapping[str, int], most: int, longest: int) -> dict[str, float]:
    """Log shares of the characters and of the ``most`` substrings that cover most characters."""
    counts: Counter[str] = Counter()
    for word, weight in words.items():
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + longest) + 1):
                counts[word[start:end]] += weight
    characters = {u for u in counts if len(u) == 1}
    several = [u for u, c in counts.items() if len(u) > 1 and c > 1]
    several.sort(key=lambda u: (-counts[u] * len(u), u))
    chosen = sorted(characters) + several[: max(most, 0)]
    whole = sum(counts[u] * len(u) for u in chosen)
    return {u: math.log(counts[u] * len(u) / whole) for u in chosen}


def pruned(words: Mapping[str, int], scores: Scores, size: int) -> dict[str, float]:
    """Keep ``size`` pieces: all characters, and those whose loss would cost most likelihood.

    The cost of a piece: how often the best cuts use it, times the drop of log p to the best way to
    build it from the others.
    """
    longest = max(map(len, scores))
    used: Counter[str] = Counter()
    for word, weight in words.items():
        for piece in best_cut(word, scores, longest)[0]:
            used[piece] += weight

    def cost(piece: str) -> float:
        others = {u: s for u, s in _parts(piece, scores).items() if u != piece}
        return used[piece] * (scores[piece] - best_cut(piece, others, len(piece) - 1)[1])

    several = sorted((u for u in scores if len(u) > 1), key=lambda u: (-cost(u), -scores[u], u))
    kept = {u for u in scores if len(u) == 1} | set(several[: max(size - _characters(scores), 0)])
    norm = math.log(sum(math.exp(scores[u]) for u in kept))
    return {u: s - norm for u, s in scores.items() if u in kept}


def _parts(piece: str, scores: Scores) -> dict[str, float]:
    ends = [(i, j) for i in range(len(piece)) for j in range(i + 1, len(piece) + 1)]
    return {piece[i:j]: scores[piece[i:j]] for i, j in ends if piece[i:j] in scores}


def _characters(scores: Scores) -> int:
    return sum(len(u) == 1 for u in scores)


@dataclass(frozen=True)
class UnigramTokenizer(Tokenizer):
    """Pieces with log probabilities; ``scores`` are those of the tokens after ``[UNK]``.

    Example:
        >>> v = Vocabulary(("[UNK]", "a", "b", "ab"))
        >>> UnigramTokenizer(v, scores=(-1.0, -1.0, -1.5)).tokens("abb?")
        ['ab', 'b', '[UNK]']
    """

    scores: tuple[float, ...] = ()
    kind: ClassVar[str] = "unigram"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", tuple(map(float, self.scores)))
        super().__post_init__()
        if self.vocabulary.token(0) != UNKNOWN or len(self.scores) != len(self.vocabulary) - 1:
            raise InputError(
                f"scores go with the tokens after {UNKNOWN}, which is the first, got "
                f"{len(self.scores)} scores and {len(self.vocabulary)} tokens"
            )

    @classmethod
    def train(
        cls,
        corpus: str | Iterable[str],
        vocab_size: int,
        *,
        longest: int = 8,
        seeds: int = 10_000,
        keep: float = 0.75,
        em_steps: int = 2,
        normalizer: Normalizer | None = None,
    ) -> "UnigramTokenizer":
        """Fit and prune, ``keep`` of the pieces a round, until ``vocab_size`` tokens are left."""
        if not 0 < keep < 1 or longest < 1 or em_steps < 1:
            raise InputError(
                "train needs 0 < keep < 1, longest >= 1 and em_steps >= 1, got "
                f"{keep=}, {longest=}, {em_steps=}"
            )
        normalizer = normalizer or Normalizer()
        words = counted_words(corpus, normalizer)
        scores = seed_pieces(words, seeds, longest)
        check_size(vocab_size, _characters(scores) + 1, f"{UNKNOWN} and the characters")
        while True:
            for _ in range(em_steps):
                scores = em_step(words, scores).scores if scores else scores
            if len(scores) < vocab_size:
                break
            scores = pruned(words, scores, max(vocab_size - 1, int(keep * len(scores))))
        ranked = sorted(scores, key=lambda u: (-scores[u], u))
        return cls(
            Vocabulary((UNKNOWN, *ranked)),
            scores=tuple(scores[u] for u in ranked),
            normalizer=normalizer,
        )

    @cached_property
    def log_p(self) -> dict[str, float]:
        """Log probability of each piece."""
        return dict(zip(self.vocabulary.tokens[1:], self.scores, strict=True))

    def split(self, text: str) -> list[int]:
        """The most likely pieces, word by word."""
        cuts: dict[str, list[int]] = {}
        for word in (words := lossless_words(text)):
            if word not in cuts:
                cuts[word] = self._ids(best_cut(word, self._scores(word), self._longest)[0])
        return [i for word in words for i in cuts[word]]

    def sample(self, text: str, *, alpha: float = 1.0, rng: Generator) -> list[int]:
        """Ids of a random cut, with probability proportional to p to the power ``alpha``.

        Subword regularisation trains on such cuts; the larger ``alpha``, the closer to the best.
        """
        if not alpha >= 0:
            raise InputError(f"alpha must not be negative, got {alpha}")
        out: list[int] = []
        for word in lossless_words(self.normalizer(text)):
            flat = {u: alpha * s for u, s in _parts(word, self._scores(word)).items()}
            out += self._ids(drawn_cut(word, flat, self._longest, rng=rng))
        return out

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.log_p), default=1)

    @cached_property
    def _floor(self) -> float:
        return min(self.scores, default=0.0) - PENALTY

    def _scores(self, word: str) -> dict[str, float]:
        """The scores, with a low one for characters that are in no piece."""
        strange = {c for c in word if c not in self.log_p}
        return self.log_p | dict.fromkeys(strange, self._floor) if strange else self.log_p

    def _ids(self, pieces: Sequence[str]) -> list[int]:
        return [self.vocabulary.ids[u if u in self.log_p else UNKNOWN] for u in pieces]

    def join(self, tokens: Sequence[str]) -> str:
        """Side by side."""
        return "".join(tokens)
