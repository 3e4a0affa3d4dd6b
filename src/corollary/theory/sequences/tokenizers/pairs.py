"""Adjacent pairs of a corpus of words, counted once and kept up to date under merges.

Both byte-pair encoding and WordPiece grow a vocabulary by merging one pair of neighbours at a
time. A merge touches only the words that hold the pair, so counts are changed there and nowhere
else: the whole training costs about the number of symbols merged times a logarithm, in place of
one pass over the corpus for each merge.

A symbol is written as the character of its number, a word as a string and a pair as two
characters: finding a pair in a word is then a search for a substring, and pairs sort as their
numbers do.
"""

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

Pair = tuple[int, int]


def numbers(symbols: str) -> tuple[int, ...]:
    """The numbers of symbols.

    Example:
        >>> numbers("ab")
        (97, 98)
    """
    return tuple(map(ord, symbols))


class PairTable:
    """Words of symbols, with the count of every adjacent pair.

    Overlapping pairs count, as in ``aaa``, which holds ``aa`` twice; a merge goes from left to
    right, so there it happens once.

    Example:
        >>> table = PairTable({"aaab": 5})
        >>> table.counts["aa"], table.merge("aa", "z"), table.words
        (10, 5, ['zab'])
        >>> table.counts
        {'ab': 5, 'za': 5}
    """

    def __init__(self, words: Mapping[str, int]) -> None:
        self.words = list(words)
        self.weights = list(words.values())  # how often each word occurs
        self.changed: dict[str, int] = {}  # by how much the last merge changed a count
        counts: dict[str, int] = defaultdict(int)
        self._holders: dict[str, list[int]] = defaultdict(list)  # words that hold, or held, a pair
        for i, (word, weight) in enumerate(words.items()):
            for j in range(len(word) - 1):
                pair = word[j : j + 2]
                counts[pair] += weight
                self._holders[pair].append(i)
        self.counts = dict(counts)

    def symbols(self) -> dict[str, int]:
        """How often each symbol occurs."""
        found: dict[str, int] = defaultdict(int)
        for word, weight in zip(self.words, self.weights, strict=True):
            for symbol in word:
                found[symbol] += weight
        return found

    def merge(self, pair: str, new: str) -> int:
        """Put ``new`` in the place of each ``pair``; how often that was, words times weights.

        Words are gathered by the neighbour of their pair, and counted once a neighbour.
        """
        words, weights, made = self.words, self.weights, 0
        a, b = pair[0], pair[1]
        lefts: dict[str, list[int]] = defaultdict(list)  # words by the symbol before the pair
        rights: dict[str, list[int]] = defaultdict(list)
        twins: list[int] = []  # words where a pair follows a pair
        for i in self._holders.pop(pair):
            between = words[i].split(pair)
            if len(between) == 1:
                continue  # it held the pair, but merged one of the two with another
            words[i] = new.join(between)
            made += (len(between) - 1) * weights[i]
            for before, after in pairwise(between):
                if before:
                    lefts[before[-1]].append(i)
                if after:
                    rights[after[0]].append(i)
            if len(between) > 2:
                twins += [i] * between[1:-1].count("")
        self.changed = defaultdict(int)
        for symbol, holders in lefts.items():
            self._replace(symbol + a, symbol + new, holders)
        for symbol, holders in rights.items():
            self._replace(b + symbol, new + symbol, holders)
        if twins:
            self._replace(b + a, new + new, twins)
        self._count_changes(pair)
        return made

    def _replace(self, old: str, new: str, holders: list[int]) -> None:
        """Where these words held one pair they hold another."""
        weight = sum([self.weights[i] for i in holders])
        self.changed[old] -= weight
        self.changed[new] += weight
        self._holders[new] += holders

    def _count_changes(self, gone: str) -> None:
        self.changed.pop(gone, None)
        del self.counts[gone]
        for pair, change in self.changed.items():
            count = self.counts.get(pair, 0) + change
            if count:
                self.counts[pair] = count
            elif change:
                del self.counts[pair]
