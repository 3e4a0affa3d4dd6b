r"""Byte-pair encoding.

Start from single characters (or the 256 bytes), and again and again merge the most frequent pair
of neighbours into a new token. A text is encoded by the merges in the order in which they were
learned. Pairs of equal frequency: the one with the smaller ids wins, so training is deterministic
(and equal to that of the ``tokenizers`` library). Words keep the space before them, and no token
crosses a word's end, so encoding loses nothing.

A string that two different merges build (``abc`` as ``ab c`` and as ``a bc``) has one number, so
:math:`|V| = \text{base} + \text{merges}` needs that no string is built twice.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5, Tokenization; Gage (1994), A
    new algorithm for data compression; Sennrich, Haddow, Birch (2016), Neural machine translation
    of rare words with subword units, Algorithm 1.
:covers: bpe-tokenizer
"""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from corollary.errors import InputError
from corollary.theory.sequences.tokenizers.pairs import Pair, PairTable, numbers
from corollary.theory.sequences.tokenizers.pipeline import (
    UNKNOWN,
    Normalizer,
    Tokenizer,
    Vocabulary,
    check_size,
)
from corollary.theory.sequences.tokenizers.words import counted_words, lossless_words

REMEMBERED = 1 << 16  # words whose ids are kept
GONE = -1  # in the place of a symbol that was merged into the one before it


@dataclass(frozen=True)
class BPETokenizer(Tokenizer):
    """Byte-pair encoding of characters or bytes. A byte is written as the character of its number.

    Example:
        >>> t = BPETokenizer.train("aaabdaaabac", vocab_size=8)
        >>> t.tokens("aaabdaaabac")
        ['aaab', 'd', 'aaab', 'a', 'c']
        >>> [t.vocabulary.token(a) + "+" + t.vocabulary.token(b) for a, b in t.merges]
        ['a+a', 'a+b', 'aa+ab']
    """

    merges: tuple[Pair, ...] = ()  # pairs of ids, in the order learned
    byte_level: bool = False
    kind: ClassVar[str] = "bpe"
    _seen: dict[str, tuple[int, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "merges", tuple((int(a), int(b)) for a, b in self.merges))
        super().__post_init__()
        _ = self.ranks  # complains about a merge whose result has no number

    @classmethod
    def train(
        cls,
        corpus: str | Iterable[str],
        vocab_size: int,
        *,
        byte_level: bool = False,
        min_count: int = 2,
        normalizer: Normalizer | None = None,
    ) -> "BPETokenizer":
        """Merge until there are ``vocab_size`` tokens or no pair occurs ``min_count`` times.

        Costs O(symbols merged x log pairs) time and O(different words) memory.
        """
        normalizer = normalizer or Normalizer()
        words = counted_words(corpus, normalizer)
        specials = () if byte_level else (UNKNOWN,)
        base = map(chr, range(256)) if byte_level else sorted({c for w in words for c in w})
        tokens = [*specials, *base]
        check_size(vocab_size, len(tokens), "the base symbols")
        number = {t: i for i, t in enumerate(tokens)}
        spelling = {ord(t): i for t, i in number.items() if len(t) == 1}  # a byte is its number
        table = PairTable(
            {_symbols(w, byte_level).translate(spelling): n for w, n in words.items()}
        )
        merges = _learn(table, tokens, number, vocab_size, max(min_count, 1))
        return cls(
            Vocabulary(tuple(tokens)),
            merges=tuple(merges),
            byte_level=byte_level,
            normalizer=normalizer,
            specials=specials,
        )

    @property
    def base(self) -> int:
        """Tokens that no merge builds, special ones included."""
        return len(self.vocabulary) - len({new for _, new in self.ranks.values()})

    @cached_property
    def ranks(self) -> dict[Pair, tuple[int, int]]:
        """For each pair, when it is merged and into what."""
        token, ids = self.vocabulary.token, self.vocabulary.ids
        ranks = {}
        for rank, (a, b) in enumerate(self.merges):
            built = token(a) + token(b)
            if built not in ids:
                raise InputError(f"merge {rank} builds {built!r}, which is not in the vocabulary")
            ranks[a, b] = rank, ids[built]
        return ranks

    def split(self, text: str) -> list[int]:
        """Word by word; the ids of words seen before are remembered."""
        out: list[int] = []
        for word in lossless_words(text):
            if word not in self._seen:
                if len(self._seen) >= REMEMBERED:
                    self._seen.clear()
                self._seen[word] = tuple(self._merged(word))
            out.extend(self._seen[word])
        return out

    def _merged(self, word: str) -> list[int]:
        """All merges in the order learned, in O(n log n): the next one is found by a heap."""
        ids, ranks = self.vocabulary.ids, self.ranks
        unknown = GONE if self.byte_level else ids[UNKNOWN]
        symbols = [ids.get(c, unknown) for c in _symbols(word, self.byte_level)]
        end = len(symbols)
        after = list(range(1, end + 1))  # the next symbol that is still there
        before = list(range(-1, end - 1))
        heap = [
            (ranks[pair][0], i)
            for i, pair in enumerate(zip(symbols, symbols[1:], strict=False))
            if pair in ranks
        ]
        heapq.heapify(heap)
        while heap:
            rank, i = heapq.heappop(heap)
            j = after[i] if symbols[i] != GONE else end
            if j == end or ranks.get((symbols[i], symbols[j]), (GONE, GONE))[0] != rank:
                continue  # one of the two has been merged with another neighbour
            symbols[i], symbols[j] = ranks[symbols[i], symbols[j]][1], GONE
            after[i] = after[j]
            if after[i] < end:
                before[after[i]] = i
            for left in (before[i], i):
                right = after[left] if left >= 0 else end
                if right < end and (symbols[left], symbols[right]) in ranks:
                    heapq.heappush(heap, (ranks[symbols[left], symbols[right]][0], left))
        return [s for s in symbols if s != GONE]

    def join(self, tokens: Sequence[str]) -> str:
        """Side by side; bytes that are no UTF-8 read as the replacement character."""
        text = "".join(tokens)
        return text.encode("latin-1").decode("utf-8", "replace") if self.byte_level else text


def _symbols(word: str, byte_level: bool) -> str:
    return word.encode().decode("latin-1") if byte_level else word


def _learn(
    table: PairTable, tokens: list[str], number: dict[str, int], size: int, min_count: int
) -> list[Pair]:
    """The merges; new tokens are appended to ``tokens``.

    An entry of the heap may promise more than its pair still has; then it goes back with the true
    count. It never promises less, because a count that grows is pushed again.
    """
    heap = [(-count, pair) for pair, count in table.counts.items() if count >= min_count]
    heapq.heapify(heap)
    merges = []
    while heap and len(tokens) < size:
        promised, pair = heapq.heappop(heap)
        count = table.counts.get(pair, 0)
        if -promised != count:
            if count >= min_count:
                heapq.heappush(heap, (-count, pair))
            continue
        a, b = numbers(pair)
        built = tokens[a] + tokens[b]
        if built not in number:
            number[built] = len(tokens)
            tokens.append(built)
        merges.append((a, b))
        table.merge(pair, chr(number[built]))
        for other, change in table.changed.items():
            if change > 0 and (count := table.counts[other]) >= min_count:
                heapq.heappush(heap, (-count, other))
    return merges
