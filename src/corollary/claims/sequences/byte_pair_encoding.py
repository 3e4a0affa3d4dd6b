r"""Byte-pair encoding.

Start from the characters of a text and :math:`k` times merge the most frequent pair of neighbours
into a new token. If the :math:`j`-th merge replaces :math:`c_j` pairs, no string is built in two
ways, and the text has :math:`n` characters of :math:`b` kinds, then

.. math:: |V| = b + k, \qquad
    |\mathrm{encode}(\text{text})| = n - \sum_{j=1}^{k} c_j, \qquad
    |\mathrm{decode}(\mathrm{encode}(\text{text}))| = n :

each merge costs one token of the vocabulary, shortens the text by what it replaces, and loses
nothing.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5, Tokenization; Gage (1994), A
    new algorithm for data compression; Sennrich, Haddow, Birch (2016), Neural machine translation
    of rare words with subword units.
:kind: algorithm
:covers: bpe-tokenizer, tokenization-pipeline
:scale-free: the words that a text is cut into are no numbers.
"""

from collections import Counter
from dataclasses import replace
from itertools import accumulate, zip_longest
from typing import NamedTuple

from torch import Generator

from corollary.core import Claim, Curve, Marks, Points, Suppose, Trial, equals, picture
from corollary.data.small_language import documents
from corollary.theory.sequences.tokenizers.bpe import BPETokenizer
from corollary.theory.sequences.tokenizers.characters import CharacterTokenizer
from corollary.theory.sequences.tokenizers.pipeline import Normalizer, Vocabulary
from corollary.theory.sequences.tokenizers.words import lossless_words

LOWER = Normalizer(lowercase=True, squeeze=True)


class Given(NamedTuple):
    """A text and a tokenizer."""

    text: str
    tokenizer: BPETokenizer


def normal_form(text: str) -> str:
    """Lower case, and single spaces."""
    return " ".join(text.lower().split())


def built_twice(given: Given) -> tuple[bool, str]:
    """How many merges make a token that another merge makes."""
    token = given.tokenizer.vocabulary.token
    built = [token(a) + token(b) for a, b in given.tokenizer.merges]
    twice = len(built) - len(set(built))
    return twice == 0, f"tokens built in two ways: {twice}"


def abc(given: Given) -> Given:
    """``abc`` is built as ``ab c`` and as ``a bc``: four merges make three tokens."""
    vocabulary = Vocabulary(("[UNK]", "a", "b", "c", "ab", "bc", "abc"))
    merges = ((1, 2), (2, 3), (4, 3), (1, 5))
    return Given("abcabc", BPETokenizer(vocabulary, normalizer=LOWER, merges=merges))


def replaced(given: Given) -> list[int]:
    """How many pairs each merge replaces, word by word and from left to right."""
    token, counts = given.tokenizer.vocabulary.token, []
    words = Counter(lossless_words(normal_form(given.text)))
    split = {word: list(word) for word in words}
    for a, b in given.tokenizer.merges:
        pair, before = [token(a), token(b)], sum(words[w] * len(s) for w, s in split.items())
        for pieces in split.values():
            i = 0
            while i + 1 < len(pieces):
                if pieces[i : i + 2] == pair:
                    pieces[i : i + 2] = ["".join(pair)]
                i += 1
        counts.append(before - sum(words[w] * len(s) for w, s in split.items()))
    return counts


class BytePairEncoding(Claim[Given]):
    sentences: int = 80  # sentences of the text
    merges: int = 90  # pairs to merge

    relation = equals()  # all are counts
    supposes = (
        Suppose("no token is built in two ways", built_twice, abc),
        Suppose(
            "every character of the text is in the vocabulary",
            lambda g: set(normal_form(g.text)) <= set(g.tokenizer.vocabulary.tokens),
            "Characters that are not in the vocabulary are lost.",
            text=lambda g: g.text + " ∂x/∂t",
        ),
        Suppose(
            "the tokenizer makes capital letters small and repeated spaces single",
            lambda g: g.tokenizer.normalizer(" A  b\n") == "a b",
            "If capital letters are kept, they are not in the vocabulary.",
            tokenizer=lambda g: replace(g.tokenizer, normalizer=Normalizer()),
        ),
    )
    symbols = "counted", "of the tokenizer"
    rows = "tokens in the vocabulary", "tokens of the text", "characters", "characters changed"

    def given(self, rng: Generator) -> Given:
        """A text of the small language with capitals, and the tokenizer trained on it."""
        (document,) = documents(1, self.sentences, rng=rng)
        text = "  ".join(sentence.text.capitalize() for sentence in document)
        size = len(set(normal_form(text))) + 1 + self.merges
        return Given(text, BPETokenizer.train(text, size, normalizer=LOWER))

    def predict(self, given: Given) -> list[float]:
        text = normal_form(given.text)
        start = CharacterTokenizer.train(text)  # has [UNK], too
        n, size = len(start.encode(text)), len(start.vocabulary) + len(given.tokenizer.merges)
        return [size, n - sum(replaced(given)), n, 0]

    def measure(self, given: Given) -> list[float]:
        ids = given.tokenizer.encode(given.text)
        decoded = given.tokenizer.decode(ids)
        changed = sum(a != b for a, b in zip_longest(decoded, normal_form(given.text)))
        return [len(given.tokenizer.vocabulary), len(ids), len(decoded), changed]

    @picture("Each merge shortens the text", x="merges k", y="tokens of the text")
    def marks(self, trial: Trial[Given]) -> Marks:
        text, tokenizer = trial.given
        start = len(normal_form(text))
        lengths = list(accumulate((-c for c in replaced(trial.given)), initial=start))
        steps = sorted({round(i * len(tokenizer.merges) / 8) for i in range(9)})
        cut = [len(replace(tokenizer, merges=tokenizer.merges[:k]).encode(text)) for k in steps]
        yield Curve(lengths, label="characters minus merged pairs", role="predicted")
        yield Points(steps, cut, label="encoded with k merges")
