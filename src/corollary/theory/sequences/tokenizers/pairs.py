"""Adjacent pairs of a corpus of words, counted once and kept up to date under merges.

Both byte-pair encoding and WordPiece grow a vocabulary by merging one pair of neighbours at a
time. A merge touches only the words that hold the pair, so counts are changed there and nowhere
else: the whole training costs about the number of symbols merged times a logarithm, in place of
one pass over the corpus for each merge.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

Pair = tuple[int, int]


class PairTable:
    """Words as lists of ids, with the count of every id and of every adjacent pair.

    Overlapping pairs count, as in ``aaa``, which holds ``aa`` twice; a merge goes from left to
    right, so there it happens once.

    Example:
        >>> table = PairTable({(0, 0, 0, 1): 5})
        >>> table.counts[0, 0], table.merge((0, 0), 2), table.words
        (10, 5, [[2, 0, 1]])
        >>> dict(table.counts)
        {(0, 1): 5, (2, 0): 5}
    """

    def __init__(self, words: Mapping[Sequence[int], int]) -> None:
        self.words = [list(word) for word in words]
        self.weights = list(words.values())  # how often each word occurs
        self.counts: dict[Pair, int] = defaultdict(int)
        self.symbols: dict[int, int] = defaultdict(int)
        self.holders: dict[Pair, set[int]] = defaultdict(set)  # words that hold, or held, a pair
        self.changed: set[Pair] = set()  # pairs whose count the last merge changed, both ways
        for i, (word, weight) in enumerate(zip(self.words, self.weights, strict=True)):
            for symbol in word:
                self.symbols[symbol] += weight
            for pair in zip(word, word[1:], strict=False):
                self.counts[pair] += weight
                self.holders[pair].add(i)

    def merge(self, pair: Pair, new: int) -> int:
        """Put ``new`` in the place of each ``pair``; how often that was, words times weights."""
        self.changed, made = set(), 0
        for i in self.holders.pop(pair):
            made += self._merge_in(i, *pair, new) * self.weights[i]
        self.counts.pop(pair, None)
        self.changed.discard(pair)
        self.symbols[new] += made
        self.symbols[pair[0]] -= made
        self.symbols[pair[1]] -= made
        return made

    def _merge_in(self, i: int, a: int, b: int, new: int) -> int:
        """Merge in one word, from left to right."""
        word, weight, out, made, j = self.words[i], self.weights[i], [], 0, 0
        last = len(word) - 1
        while j <= last:
            if j == last or word[j] != a or word[j + 1] != b:
                out.append(word[j])
                j += 1
                continue
            if out:  # the neighbour on the left may itself be new
                self._add((out[-1], a), -weight, i)
                self._add((out[-1], new), weight, i)
            if j + 2 <= last:
                self._add((b, word[j + 2]), -weight, i)
                self._add((new, word[j + 2]), weight, i)
            out.append(new)
            made += 1
            j += 2
        self.words[i] = out
        return made

    def _add(self, pair: Pair, weight: int, i: int) -> None:
        self.counts[pair] += weight
        self.changed.add(pair)
        if weight > 0:
            self.holders[pair].add(i)
        elif self.counts[pair] == 0:
            del self.counts[pair]
