"""One token a character: the smallest vocabulary, the longest sequences.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5, Tokenization.
:covers: tokenization-pipeline
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from corollary.theory.sequences.tokenizers.pipeline import (
    UNKNOWN,
    Normalizer,
    Tokenizer,
    Vocabulary,
    as_texts,
)


@dataclass(frozen=True)
class CharacterTokenizer(Tokenizer):
    """Characters seen in training have a number each; any other is ``[UNK]``.

    Example:
        >>> t = CharacterTokenizer.train("abba")
        >>> t.encode("abc"), t.decode([1, 2, 2, 1])
        ([1, 2, 0], 'abba')
    """

    kind: ClassVar[str] = "characters"

    @classmethod
    def train(
        cls, corpus: str | Iterable[str], *, normalizer: Normalizer | None = None
    ) -> "CharacterTokenizer":
        """The characters of the corpus, in the order of Unicode, after ``[UNK]``."""
        normalizer = normalizer or Normalizer()
        seen = sorted({c for text in as_texts(corpus) for c in normalizer(text)})
        return cls(Vocabulary((UNKNOWN, *seen)), normalizer=normalizer)

    def split(self, text: str) -> list[int]:
        """One id a character."""
        ids, unknown = self.vocabulary.ids, self.vocabulary.id(UNKNOWN)
        return [ids.get(c, unknown) for c in text]

    def join(self, tokens: Sequence[str]) -> str:
        """Side by side."""
        return "".join(tokens)
