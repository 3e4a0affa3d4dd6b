"""Sentences as rows of word numbers, padded to the length of the longest."""

import re
from collections import Counter
from collections.abc import Sequence

import torch
from jaxtyping import Int
from torch import Tensor

PAD, UNKNOWN = 0, 1
WORD = re.compile(r"[a-z0-9']+|[^\sa-z0-9']")


def words(sentence: str) -> list[str]:
    """Lower-case words and punctuation marks.

    Example:
        >>> words("It's a film, nothing more.")
        ["it's", 'a', 'film', ',', 'nothing', 'more', '.']
    """
    return WORD.findall(sentence.lower())


def vocabulary(sentences: Sequence[str], least: int = 1) -> dict[str, int]:
    """Numbers of all words that occur at least ``least`` times, the most frequent first.

    Example:
        >>> vocabulary(["a b a", "a c"])
        {'a': 2, 'b': 3, 'c': 4}
    """
    counts = Counter(word for sentence in sentences for word in words(sentence))
    kept = [word for word, n in counts.most_common() if n >= least]
    return {word: i for i, word in enumerate(kept, start=2)}


def numbered(
    sentences: Sequence[str], known: dict[str, int], length: int
) -> Int[Tensor, "n length"]:
    """Each sentence, cut or padded to ``length`` words.

    Example:
        >>> numbered(["a b", "c"], {"a": 2, "b": 3}, 3).tolist()
        [[2, 3, 0], [1, 0, 0]]
    """
    table = torch.full((len(sentences), length), PAD)
    for row, sentence in zip(table, sentences, strict=True):
        ids = [known.get(word, UNKNOWN) for word in words(sentence)[:length]]
        row[: len(ids)] = torch.tensor(ids, dtype=torch.int64)
    return table
