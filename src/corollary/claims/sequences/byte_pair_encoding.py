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
:cost: instant
:covers: bpe-tokenizer, tokenization-pipeline
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals
from corollary.data.small_language import documents
from corollary.theory.sequences.tokenizers.bpe import BPETokenizer
from corollary.theory.sequences.tokenizers.pairs import PairTable
from corollary.theory.sequences.tokenizers.pipeline import Vocabulary
from corollary.theory.sequences.tokenizers.words import lossless_words


class Given(NamedTuple):
    """A text and a tokenizer."""

    text: str
    tokenizer: BPETokenizer


@dataclass(frozen=True)
class BytePairEncoding(Claim[Given]):
    """Size of the vocabulary and length of the text after training against their counts."""

    sentences: int = 80  # sentences of the text
    merges: int = 90  # pairs to merge
    relation = equals()  # all are counts

    def given(self, rng: Generator) -> Given:
        """A text of the small language, and the tokenizer trained on it."""
        (document,) = documents(1, self.sentences, rng=rng)
        text = " ".join(sentence.text for sentence in document)
        size = len(set(text)) + 1 + self.merges
        return Given(text, BPETokenizer.train(text, size))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """One way to build each token; a text without unknown characters."""
        text, tokenizer = given
        token = tokenizer.vocabulary.token
        built = [token(a) + token(b) for a, b in tokenizer.merges]
        twice = len(built) - len(set(built))
        yield Hypothesis("no token is built in two ways", twice == 0, f"{twice} are")
        known = set(text) <= set(tokenizer.vocabulary.tokens)
        yield Hypothesis("every character of the text is in the vocabulary", known)

    def predict(self, given: Given) -> list[float]:
        """Base and merges; characters less those saved; characters."""
        base, n = len(set(given.text)) + 1, len(given.text)  # [UNK] is in the base
        return [base + len(given.tokenizer.merges), n - sum(_saved(given)), n]

    def measure(self, given: Given) -> list[float]:
        """The vocabulary, the encoded text, the decoded one."""
        text, tokenizer = given
        ids = tokenizer.encode(text)
        decoded = tokenizer.decode(ids)
        alike = sum(a == b for a, b in zip(decoded, text, strict=False))
        return [len(tokenizer.vocabulary), len(ids), alike]

    def counterexample(self, rng: Generator) -> Given:
        """``abc`` is built as ``ab c`` and as ``a bc``: four merges make three tokens."""
        vocabulary = Vocabulary(("[UNK]", "a", "b", "c", "ab", "bc", "abc"))
        return Given("abcabc", BPETokenizer(vocabulary, merges=((1, 2), (2, 3), (4, 3), (1, 5))))

    def figure(self, given: Given) -> Figure:
        """The text gets shorter, merge by merge."""
        text, tokenizer = given
        lengths = list(accumulate((-c for c in _saved(given)), initial=len(text)))
        steps = sorted({round(i * len(tokenizer.merges) / 8) for i in range(9)})
        cut = [
            BPETokenizer(tokenizer.vocabulary, merges=tokenizer.merges[:k]).encode(text)
            for k in steps
        ]
        return Figure(
            "Each merge shortens the text",
            x="merges k",
            y="tokens of the text",
            marks=(
                Curve(lengths, label="characters less the pairs replaced", role="predicted"),
                Points(steps, [len(ids) for ids in cut], label="encoded with k merges"),
            ),
        )


def _saved(given: Given) -> list[int]:
    """How many pairs each merge replaces, counted word by word."""
    text, tokenizer = given
    ids = tokenizer.vocabulary.ids
    words = Counter(lossless_words(text))
    table = PairTable({"".join(chr(ids[c]) for c in word): n for word, n in words.items()})
    token = tokenizer.vocabulary.token
    pairs = [(chr(a) + chr(b), chr(ids[token(a) + token(b)])) for a, b in tokenizer.merges]
    return [table.merge(pair, new) if pair in table.counts else 0 for pair, new in pairs]
