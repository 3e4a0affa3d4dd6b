"""A small English with a grammar: sentences, tags, moods, and documents that hang together.

    the [adjective] noun adverb verb the noun .

Verbs are friendly or hostile, and the adverb before a verb has its mood (``gladly loved``, ``grimly
hated``), so a model that predicts hidden words learns which verbs are alike. Some words are nouns
in one place and verbs in another (``the trust``, ``trust the``). The next sentence of a document
begins with the noun with which the last one ended, and all sentences of a document have one mood.
All of it is drawn from a generator and stands in for text where none is at hand.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.seeding import as_generator
from corollary.theory.sequences.tokenizers.wordpiece import CLS, SEP, SPECIALS
from corollary.theory.sequences.tokenizers.words import WordTokenizer

ADJECTIVES = ("old", "young", "tall", "quiet", "busy", "clever")
NOUNS = ("cat", "dog", "bird", "farmer", "doctor", "child", "queen", "sailor")
ADVERBS = {
    True: ("gladly", "warmly", "kindly", "happily"),
    False: ("grimly", "coldly", "angrily", "sadly"),
}
VERBS = {
    True: ("loved", "helped", "praised", "thanked", "trust", "favour", "welcome", "comfort"),
    False: ("hated", "hurt", "mocked", "robbed", "dread", "blame", "attack", "ridicule"),
}
ALSO_NOUNS = VERBS[True][4:] + VERBS[False][4:]
TAGS = ("DET", "ADJ", "NOUN", "ADV", "VERB", "PUNCT")


class Sentence(NamedTuple):
    """Words, the tag of each, and whether the verb is friendly."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    friendly: bool

    @property
    def text(self) -> str:
        """The words with spaces between."""
        return " ".join(self.words)


def documents(
    n: int,
    sentences: int,
    *,
    adverbs: bool = True,
    verbs: Sequence[str] | None = None,
    rng: int | Generator = 0,
) -> list[list[Sentence]]:
    """``n`` documents of as many ``sentences`` each.

    Args:
        n: Documents.
        sentences: Sentences a document.
        adverbs: False leaves them out: only the verb then shows the mood.
        verbs: The verbs to choose from, by default all.
        rng: Draws everything.

    Example:
        >>> (document,) = documents(1, 2, rng=torch.Generator().manual_seed(0))
        >>> first, second = document
        >>> first.words[-2] == second.words[second.tags.index("NOUN")]
        True
    """
    rng = as_generator(rng)
    if not (n >= 1 and 1 <= sentences < math.inf):
        raise InputError(f"expected n >= 1 and sentences >= 1, got n={n}, sentences={sentences}")
    chosen = {mood: [v for v in VERBS[mood] if verbs is None or v in verbs] for mood in VERBS}
    if not all(chosen.values()):
        raise InputError(f"verbs must contain a friendly and a hostile verb, got {verbs}")

    def pick(words: Sequence[str]) -> str:
        return words[int(torch.randint(len(words), (), generator=rng, device=rng.device))]

    def sentence(subject: str, friendly: bool) -> Sentence:
        parts = [("the", "DET")] + ([(pick(ADJECTIVES), "ADJ")] if pick("01") == "1" else [])
        parts += [(subject, "NOUN")] + ([(pick(ADVERBS[friendly]), "ADV")] if adverbs else [])
        parts += [(pick(chosen[friendly]), "VERB"), ("the", "DET")]
        parts += [(pick(NOUNS + ALSO_NOUNS), "NOUN"), (".", "PUNCT")]
        words, tags = zip(*parts, strict=True)
        return Sentence(words, tags, friendly)

    made = []
    for _ in range(n):
        friendly = pick("01") == "1"
        document = [sentence(pick(NOUNS), friendly)]
        while len(document) < sentences:
            document.append(sentence(document[-1].words[-2], friendly))
        made.append(document)
    return made


def tokenizer() -> WordTokenizer:
    """One token a word of the language, after BERT's special tokens; ``[PAD]`` is 0.

    Example:
        >>> tokenizer().encode("the cat loved the dog .")[0] == tokenizer().vocabulary.id("the")
        True
    """
    verbs, adverbs = VERBS[True] + VERBS[False], ADVERBS[True] + ADVERBS[False]
    words = ("the", ".", *ADJECTIVES, *NOUNS, *adverbs, *verbs)
    return WordTokenizer.train(" ".join(words), specials=SPECIALS)


def padded(
    rows: Sequence[Sequence[int]], fill: int = 0, *, length: int | None = None
) -> tuple[Int[Tensor, "b t"], Bool[Tensor, "b t"]]:
    """Rows of one length, and where they are filled with data.

    Example:
        >>> ids, there = padded([[5, 6], [7]])
        >>> ids.tolist(), there.int().tolist()
        ([[5, 6], [7, 0]], [[1, 1], [1, 0]])
    """
    longest = max(map(len, rows), default=0)
    length = longest if length is None else length
    if length < longest:
        raise InputError(f"a row of {longest} ids does not fit into length={length}")
    ids = torch.tensor([[*row, *[fill] * (length - len(row))] for row in rows], dtype=torch.int64)
    sizes = torch.tensor([len(row) for row in rows])
    return ids, torch.arange(length) < sizes[:, None]


class Inputs(NamedTuple):
    """What BERT reads: ids, segments, and where there are tokens."""

    ids: Int[Tensor, "b t"]
    segments: Int[Tensor, "b t"]
    there: Bool[Tensor, "b t"]


def bert_inputs(
    first: Sequence[str], second: Sequence[str] | None = None, *, length: int | None = None
) -> Inputs:
    """``[CLS] first [SEP]`` or ``[CLS] first [SEP] second [SEP]``, padded to one length.

    Example:
        >>> ids, segments, there = bert_inputs(["the cat"], ["the dog"])
        >>> tokens = [tokenizer().vocabulary.token(i) for i in ids[0].tolist()]
        >>> " ".join(tokens), segments[0].tolist()
        ('[CLS] the cat [SEP] the dog [SEP]', [0, 0, 0, 0, 1, 1, 1])
    """
    words = tokenizer()
    cls, sep = words.vocabulary.id(CLS), words.vocabulary.id(SEP)
    heads = [[cls, *words.encode(text), sep] for text in first]
    tails = [[*words.encode(text), sep] for text in second] if second else [[] for _ in first]
    pairs = list(zip(heads, tails, strict=True))
    ids, there = padded([a + b for a, b in pairs], length=length)
    segments, _ = padded([[0] * len(a) + [1] * len(b) for a, b in pairs], length=length)
    return Inputs(ids, segments, there)
