r"""Byte pairs or word pieces.

Byte-pair encoding merges the pair that is most *frequent*, WordPiece the pair whose parts are most
often *together*:

.. math:: \max_{ab} \#(ab) \qquad\text{against}\qquad \max_{ab} \frac{\#(ab)}{\#(a)\,\#(b)} .

A pair of frequent letters is frequent by chance alone; a pair of rare ones that always meet has the
larger lift. The first merges of the two are the maxima of these two scores over all pairs of the
text, and need not be the same pair.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5, Tokenization; Perez Jensen
    (2025), Deep Learning, Section 6.5; Schuster, Nakajima (2012), Japanese and Korean voice search.
:kind: algorithm
:cost: instant
:covers: wordpiece-tokenizer
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from torch import Generator

from corollary.core import Claim, Figure, Hypothesis, Points, equals, option
from corollary.data.small_language import documents
from corollary.theory.sequences.tokenizers.bpe import BPETokenizer
from corollary.theory.sequences.tokenizers.wordpiece import INSIDE, SPECIALS, WordPieceTokenizer
from corollary.theory.sequences.tokenizers.words import lossless_words

Pair = tuple[str, str]


class Given(NamedTuple):
    """A text, the text that the tokenizers saw, and the first pair each of them merged."""

    text: str
    seen: str
    by_count: Pair
    by_lift: Pair


@dataclass(frozen=True)
class WordpieceLift(Claim[Given]):
    """The scores of the first merges against the largest scores of all pairs."""

    sentences: int = option(60, low=4)  # sentences of the text
    relation = equals(ulps=2)  # a count, and a quotient of counts

    def given(self, rng: Generator) -> Given:
        """A text of the small language, with a few words of rare letters."""
        (document,) = documents(1, self.sentences, rng=rng)
        text = " ".join(sentence.text for sentence in document) + " quiz quiz"
        return Given(text, text, *_first_merges(text))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Both were trained on the text."""
        yield Hypothesis("the tokenizers were trained on this text", given.seen == given.text)

    def predict(self, given: Given) -> list[float]:
        """The largest count and the largest lift."""
        return [max(_counts(given.text).values()), max(_lifts(given.text).values())]

    def measure(self, given: Given) -> list[float]:
        """Count and lift of the pairs that were merged first."""
        counts, lifts = _counts(given.text), _lifts(given.text)
        return [counts.get(given.by_count, 0), lifts.get(given.by_lift, 0.0)]

    def counterexample(self, rng: Generator) -> Given:
        """Trained on the text read backwards."""
        text = self.given(rng).text
        return Given(text, text[::-1], *_first_merges(text[::-1]))

    def figure(self, given: Given) -> Figure:
        """Every pair by its two scores."""
        pairs, lifts = _pieces(given.text)[1], _lifts(given.text)
        best = max(pairs, key=lambda p: (pairs[p], p))
        top = given.by_lift
        return Figure(
            "Frequent, or together: two ideas of a good pair",
            x="#(ab)",
            y="#(ab) / (#(a) #(b))",
            log_x=True,
            log_y=True,
            marks=(
                Points(
                    list(pairs.values()), [lifts[p] for p in pairs], label="all pairs", role="other"
                ),
                Points([pairs[best]], [lifts[best]], label=f"most frequent: {_word(best)}"),
                Points(
                    [pairs[top]], [lifts[top]], label=f"WordPiece: {_word(top)}", role="predicted"
                ),
            ),
            caption="Pairs of pieces within words; ## marks a piece that continues a word.",
        )


def _word(pair: Pair) -> str:
    return pair[0] + pair[1].removeprefix(INSIDE)


def _first_merges(text: str) -> tuple[Pair, Pair]:
    """What each tokenizer merges when it may merge once."""
    letters = len(set(text))
    bpe = BPETokenizer.train(text, letters + 2)
    a, b = (bpe.vocabulary.token(i) for i in bpe.merges[0])
    size = len(SPECIALS) + len(_pieces(text)[0])
    piece = WordPieceTokenizer.train(text, size + 1).vocabulary.tokens[-1]
    continued = piece.startswith(INSIDE)
    spelled = piece.removeprefix(INSIDE)
    return (a, b), (INSIDE * continued + spelled[0], INSIDE + spelled[1])


def _counts(text: str) -> Counter[Pair]:
    """Pairs of characters within words that keep their space, as byte-pair encoding sees them."""
    words = lossless_words(text)
    return Counter(pair for word in words for pair in zip(word, word[1:], strict=False))


def _pieces(text: str) -> tuple[Counter[str], Counter[Pair]]:
    """Letters and pairs within words as WordPiece sees them; pairs that occur twice or more."""
    words = WordPieceTokenizer.normalizer(text).split()
    spelled = [[w[0], *(INSIDE + c for c in w[1:])] for w in words]
    letters = Counter(s for word in spelled for s in word)
    pairs = Counter(p for word in spelled for p in zip(word, word[1:], strict=False))
    return letters, Counter({p: n for p, n in pairs.items() if n > 1})


def _lifts(text: str) -> dict[Pair, float]:
    letters, pairs = _pieces(text)
    return {(a, b): n / (letters[a] * letters[b]) for (a, b), n in pairs.items()}
