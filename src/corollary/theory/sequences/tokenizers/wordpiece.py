r"""WordPiece: merge the pair that goes together most, encode by the longest match.

Training merges the pair with the largest

.. math:: \frac{\#(ab)}{\#(a)\, \#(b)},

which up to a factor is how much likelier :math:`ab` is than it would be if :math:`a` and :math:`b`
were independent: its logarithm is the gain of log-likelihood *per occurrence* (the gain of the
whole corpus is about :math:`\#(ab)` times that). A word is then encoded greedily: the longest piece
of the vocabulary that starts here, and so on; pieces inside a word begin with ``##``. A word
that cannot be cut is ``[UNK]`` as a whole. (The trainer of the ``tokenizers`` library merges by
frequency, as byte-pair encoding does; its encoder is this one.)

:source: Perez Jensen (2025), Deep Learning, Section 6.5; Lucchi (2025), Foundations of Deep
    Learning, Section 10.4.5; Schuster, Nakajima (2012), Japanese and Korean voice search; Devlin,
    Chang, Lee, Toutanova (2018), BERT.
:covers: wordpiece-tokenizer
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from corollary.errors import InputError
from corollary.theory.sequences.tokenizers.pairs import PairTable, numbers
from corollary.theory.sequences.tokenizers.pipeline import (
    UNKNOWN,
    Normalizer,
    Tokenizer,
    Vocabulary,
    as_texts,
    check_size,
)

PAD, CLS, SEP, MASK = "[PAD]", "[CLS]", "[SEP]", "[MASK]"
SPECIALS = (PAD, UNKNOWN, CLS, SEP, MASK)
INSIDE = "##"  # the mark of a piece that continues a word
LONGEST_WORD = 100  # characters; a longer one is unknown, as in BERT
_BERT = Normalizer(lowercase=True, isolate=True, squeeze=True)


@dataclass(frozen=True)
class WordPieceTokenizer(Tokenizer):
    """WordPiece with BERT's special tokens and input format.

    Example:
        >>> pieces = ("un", "##aff", "##able", "##a")
        >>> t = WordPieceTokenizer(Vocabulary(SPECIALS + pieces))
        >>> t.tokens("unaffable"), t.tokens("affable")
        (['un', '##aff', '##able'], ['[UNK]'])
    """

    normalizer: Normalizer = _BERT
    specials: tuple[str, ...] = SPECIALS
    kind: ClassVar[str] = "wordpiece"

    @classmethod
    def train(
        cls,
        corpus: str | Iterable[str],
        vocab_size: int,
        *,
        min_count: int = 2,
        normalizer: Normalizer = _BERT,
    ) -> "WordPieceTokenizer":
        """Merge until there are ``vocab_size`` tokens or no pair occurs ``min_count`` times."""
        words = Counter(w for text in as_texts(corpus) for w in normalizer(text).split(" ") if w)
        spelled = {w: (w[0], *(INSIDE + c for c in w[1:])) for w in words}
        tokens = [*SPECIALS, *sorted({s for symbols in spelled.values() for s in symbols})]
        check_size(vocab_size, len(tokens), "the special tokens and the characters")
        number = {t: i for i, t in enumerate(tokens)}
        table = PairTable(
            {"".join(chr(number[s]) for s in spelled[w]): n for w, n in words.items()}
        )
        _learn(table, tokens, number, vocab_size, max(min_count, 1))
        return cls(Vocabulary(tuple(tokens)), normalizer=normalizer)

    def split(self, text: str) -> list[int]:
        """Word by word, each by the longest match."""
        pieces: dict[str, list[int]] = {}
        out: list[int] = []
        for word in text.split():
            if word not in pieces:
                pieces[word] = self._longest_matches(word)
            out.extend(pieces[word])
        return out

    def _longest_matches(self, word: str) -> list[int]:
        ids, out, start = self.vocabulary.ids, [], 0
        if len(word) > LONGEST_WORD:
            return [ids[UNKNOWN]]
        while start < len(word):
            mark = INSIDE if start else ""
            ends = (e for e in range(len(word), start, -1) if mark + word[start:e] in ids)
            end = next(ends, None)
            if end is None or mark + word[start:end] in self.specials:
                return [ids[UNKNOWN]]
            out.append(ids[mark + word[start:end]])
            start = end
        return out

    def join(self, tokens: Sequence[str]) -> str:
        """Pieces of a word together, words with a space between."""
        text = " ".join(tokens)
        return text.replace(" " + INSIDE, "").removeprefix(INSIDE)

    def pair(self, first: str, second: str | None = None) -> tuple[list[int], list[int]]:
        """BERT's input: ``[CLS] first [SEP] second [SEP]`` and the segment (0, 1) of each token.

        Example:
            >>> t = WordPieceTokenizer.train("a b", vocab_size=20)
            >>> ids, segments = t.pair("a", "b b")
            >>> [t.vocabulary.token(i) for i in ids], segments
            (['[CLS]', 'a', '[SEP]', 'b', 'b', '[SEP]'], [0, 0, 0, 1, 1, 1])
        """
        cls, sep = self.vocabulary.id(CLS), self.vocabulary.id(SEP)
        ids = [cls, *self.encode(first), sep]
        segments = [0] * len(ids)
        if second is not None:
            rest = [*self.encode(second), sep]
            ids, segments = ids + rest, segments + [1] * len(rest)
        return ids, segments

    @property
    def special_ids(self) -> tuple[int, ...]:
        """The numbers of the special tokens."""
        return tuple(self.vocabulary.id(name) for name in self.specials)


def lift(pair_count: int, left_count: int, right_count: int) -> float:
    """WordPiece's score of a pair: its count over the product of those of its parts.

    Example:
        >>> lift(2, 4, 5)
        0.1
    """
    if min(pair_count, left_count, right_count) < 1:
        raise InputError(
            f"expected positive counts, got pair_count={pair_count}, "
            f"left_count={left_count}, right_count={right_count}"
        )
    return pair_count / (left_count * right_count)


def _learn(
    table: PairTable, tokens: list[str], number: dict[str, int], size: int, min_count: int
) -> None:
    """Append new tokens, best pair first.

    A merge of ``ab`` makes ``a`` and ``b`` rarer and so raises the score of *every* pair with one
    of them: all those are pushed again; an entry whose score is out of date is dropped.
    """
    around: dict[str, set[str]] = defaultdict(set)  # pairs that a symbol is part of
    heap: list[tuple[float, str]] = []
    counts, symbols = table.counts, table.symbols()

    def score(pair: str) -> float:
        return lift(counts[pair], symbols[pair[0]], symbols[pair[1]])

    def push(pairs: Iterable[str]) -> None:
        for pair in pairs:
            if counts.get(pair, 0) >= min_count:
                heapq.heappush(heap, (-score(pair), pair))
                around[pair[0]].add(pair)
                around[pair[1]].add(pair)

    push(list(counts))
    while heap and len(tokens) < size:
        promised, pair = heapq.heappop(heap)
        if counts.get(pair, 0) < min_count or score(pair) != -promised:
            continue
        a, b = numbers(pair)
        built = tokens[a] + tokens[b].removeprefix(INSIDE)
        if built not in number:
            number[built] = len(tokens)
            tokens.append(built)
        new = chr(number[built])
        made = table.merge(pair, new)
        for symbol, change in ((new, made), (pair[0], -made), (pair[1], -made)):
            symbols[symbol] += change
        push(table.changed.keys() | around[pair[0]] | around[pair[1]])
