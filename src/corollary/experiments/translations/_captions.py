"""Captions as rows of word numbers, and translations back as text."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import torch
from jaxtyping import Int
from torch import Tensor

from corollary.theory.sequences.decoding.beam import beam_search
from corollary.theory.sequences.decoding.greedy import decode_greedy
from corollary.theory.sequences.decoding.reading import NextToken

PAD, UNKNOWN, END = 0, 1, 2
LENGTH = 32  # words of a caption with its end, at most
WORD = re.compile(r"[\w']+(?:-[\w']+)*|[^\w\s]")


class Translator(Protocol):
    """A model that decoders can ask for the next word of a translation."""

    def next_token(self, source: Tensor, source_lengths: Tensor | None = None, /) -> NextToken:
        """The model of the next token, for these sources."""


class Rows(NamedTuple):
    """Captions as numbers, padded to ``LENGTH``."""

    ids: Int[Tensor, "n length"]
    lengths: Int[Tensor, " n"]


class Vocabulary:
    """The words that occur at least twice.

    Example:
        >>> known = Vocabulary(["Ein Hund.", "ein Hund und ein Kind."])
        >>> known.words
        ['<pad>', '<unk>', '<end>', 'ein', 'hund', '.']
        >>> rows = known.rows(["ein Hund bellt."])
        >>> rows.ids[0, :5].tolist(), known.text(rows.ids[0].tolist())
        ([3, 4, 1, 5, 2], 'ein hund <unk> .')
    """

    def __init__(self, captions: Sequence[str]) -> None:
        counts = Counter(word for caption in captions for word in cut(caption))
        kept = [word for word, n in counts.most_common() if n > 1]
        self.words = ["<pad>", "<unk>", "<end>", *kept]
        self.number = {word: i for i, word in enumerate(self.words)}

    def rows(self, captions: Sequence[str]) -> Rows:
        """Numbers of words, cut to ``LENGTH`` with the end."""
        ids = torch.full((len(captions), LENGTH), PAD)
        lengths = torch.zeros(len(captions), dtype=torch.int64)
        for i, caption in enumerate(captions):
            row = [self.number.get(word, UNKNOWN) for word in cut(caption)][: LENGTH - 1] + [END]
            ids[i, : len(row)], lengths[i] = torch.tensor(row), len(row)
        return Rows(ids, lengths)

    def text(self, tokens: Sequence[int]) -> str:
        """The words before the end, with spaces between them."""
        inside = tokens[: tokens.index(END)] if END in tokens else tokens
        return " ".join(self.words[i] for i in inside)


def cut(caption: str) -> list[str]:
    """Lower-case words and punctuation marks."""
    return WORD.findall(caption.lower())


def translated(model: Translator, source: Rows, width: int) -> list[list[int]]:
    """The tokens of each translation: greedy, or the best of a beam."""
    if width == 1:
        found = [
            decoded
            for ids, lengths in zip(source.ids.split(250), source.lengths.split(250), strict=True)
            for decoded in decode_greedy(
                model.next_token(ids, lengths),
                LENGTH,
                eos=END,
                start=ids.new_empty(len(ids), 0),
            )
        ]
    else:
        found = [
            beam_search(
                model.next_token(ids[None, :n], n[None]),
                width,
                LENGTH,
                eos=END,
                alpha=0.6,
                start=ids.new_empty(0),
            )[0]
            for ids, n in zip(source.ids, source.lengths, strict=True)
        ]
    return [[int(token) for token in decoded.tokens] for decoded in found]
