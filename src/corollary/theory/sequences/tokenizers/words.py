r"""One token a word, and how a text falls into words.

Three ways to cut: at whitespace; BERT's, where punctuation stands alone; and GPT-2's, where a word
keeps the space before it, so that nothing is lost.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5, Tokenization; Radford, Wu,
    Child, Luan, Amodei, Sutskever (2019), Language models are unsupervised multitask learners.
:covers: tokenization-pipeline
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from typing import ClassVar

from corollary.theory.sequences.tokenizers.pipeline import (
    UNKNOWN,
    Normalizer,
    Tokenizer,
    Vocabulary,
    as_texts,
    check_size,
)

_SPACED = Normalizer(squeeze=True)


# GPT-2's cut: letters, numbers, marks, each with the space before it; endings as 'll; spaces.
_WORDS = re.compile(
    r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]+| ?\d+| ?[^\s\w]+|\s+(?!\S)|\s+"
)  # for shapes of texts, see below


@cache
def _stand_ins() -> dict[int, str]:
    r"""Characters that ``re`` counts as letters: ``½``, ``Ⅷ`` are numbers, ``_`` is a mark."""
    others = (c for c in range(0x110000) if unicodedata.category(chr(c)) in ("Nl", "No"))
    return dict.fromkeys(others, "0") | {ord("_"): "."}


def lossless_words(text: str) -> list[str]:
    """Words with the space before them; joined they are the text.

    Example:
        >>> lossless_words("I'll pay 20$  now")
        ['I', "'ll", ' pay', ' 20', '$', ' ', ' now']
    """
    shape = text.replace("_", ".") if text.isascii() else text.translate(_stand_ins())
    words = _WORDS.findall(shape)
    if shape == text:
        return words
    ends = accumulate(map(len, words), initial=0)
    return [text[a:b] for a, b in pairwise(ends)]


@dataclass(frozen=True)
class WordTokenizer(Tokenizer):
    """Words between spaces; what is not in the vocabulary is ``[UNK]``.

    Example:
        >>> t = WordTokenizer.train("the cat saw the dog", vocab_size=3)
        >>> t.tokens("the dog saw the cat")
        ['the', '[UNK]', '[UNK]', 'the', 'cat']
    """

    kind: ClassVar[str] = "words"

    @classmethod
    def train(
        cls,
        corpus: str | Iterable[str],
        vocab_size: int | None = None,
        *,
        normalizer: Normalizer = _SPACED,
        specials: tuple[str, ...] = (UNKNOWN,),
    ) -> "WordTokenizer":
        """The most frequent words; ties in the order of Unicode."""
        counts = Counter(w for text in as_texts(corpus) for w in normalizer(text).split(" ") if w)
        ranked = sorted(set(counts) - set(specials), key=lambda w: (-counts[w], w))
        if vocab_size is not None:
            check_size(vocab_size, len(specials) + 1, "the special tokens and a word")
            ranked = ranked[: vocab_size - len(specials)]
        return cls(Vocabulary((*specials, *ranked)), normalizer=normalizer, specials=specials)

    def split(self, text: str) -> list[int]:
        """One id a word."""
        ids, unknown = self.vocabulary.ids, self.vocabulary.id(UNKNOWN)
        known = (w if w not in self.specials else UNKNOWN for w in text.split(" ") if w)
        return [ids.get(w, unknown) for w in known]

    def join(self, tokens: Sequence[str]) -> str:
        """With one space between words."""
        return " ".join(tokens)
