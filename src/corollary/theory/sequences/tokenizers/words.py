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
_ASCII = re.compile(r" ?[A-Za-z]+|'(?:[sdmt]|ll|ve|re)| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")
_UNICODE = re.compile(
    r" ?[^\W\d_]+|'(?:[sdmt]|ll|ve|re)| ?\d+| ?[^\s\w]+|\s+(?!\S)|\s+"
)  # for shapes of texts, see below


def _shape(text: str) -> str:
    r"""The text with stand-ins for what ``re`` takes for letters: ``½``, ``Ⅷ``, and the mark ``_``.

    Only characters that occur are replaced: a table for all of them is looked up at each place.
    """
    for c in set(text):
        if c == "_" or unicodedata.category(c) in ("Nl", "No"):
            text = text.replace(c, "." if c == "_" else "0")
    return text


def lossless_words(text: str) -> list[str]:
    """Words with the space before them; joined they are the text.

    Example:
        >>> lossless_words("I'll pay 20$  now")
        ['I', "'ll", ' pay', ' 20', '$', ' ', ' now']
    """
    if text.isascii():
        return _ASCII.findall(text)
    shape = _shape(text)
    words = _UNICODE.findall(shape)
    if shape == text:
        return words
    ends = accumulate(map(len, words), initial=0)
    return [text[a:b] for a, b in pairwise(ends)]


def counted_words(corpus: str | Iterable[str], normalizer: Normalizer) -> Counter[str]:
    """How often each word of :func:`lossless_words` occurs in a corpus.

    Example:
        >>> counted_words("a b b", Normalizer())
        Counter({' b': 2, 'a': 1})
    """
    counts: Counter[str] = Counter()
    for text in as_texts(corpus):
        counts.update(lossless_words(normalizer(text)))
    return counts


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
