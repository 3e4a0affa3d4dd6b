r"""BPE merges the most frequent pair, WordPiece the pair of largest lift.

Byte-pair encoding merges the pair that is most *frequent*, WordPiece the pair whose parts are most
often *together*:

.. math:: \max_{ab} \#(ab) \qquad\text{against}\qquad \max_{ab} \frac{\#(ab)}{\#(a)\,\#(b)} .

A pair of frequent letters is frequent by chance alone; a pair of rare ones that always meet has the
larger lift. The first merges of the two are the maxima of these two scores over all pairs of the
text, and need not be the same pair. Measured: the tokens that each merge saves.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5, Tokenization; Perez Jensen
    (2025), Deep Learning, Section 6.5; Schuster, Nakajima (2012), Japanese and Korean voice search.
:kind: algorithm
:uses: byte_pair_encoding
:covers: wordpiece-tokenizer
:scale-free: the words that a text is cut into are no numbers.
"""

from collections import Counter
from typing import NamedTuple

from torch import Generator

from corollary.core import Claim, Suppose, Trial, equals, option
from corollary.core.picture import Marks, Points, Role, picture
from corollary.data.small_language import documents
from corollary.theory.sequences.tokenizers.bpe import BPETokenizer
from corollary.theory.sequences.tokenizers.wordpiece import INSIDE, SPECIALS, WordPieceTokenizer
from corollary.theory.sequences.tokenizers.words import lossless_words

Pair = tuple[str, str]


class Given(NamedTuple):
    """A text, and tokenizers that merged once."""

    text: str
    bpe: BPETokenizer
    wordpiece: WordPieceTokenizer


def pair_counts(text: str) -> Counter[Pair]:
    """Pairs of characters within words that keep their space, as byte-pair encoding sees them."""
    words = lossless_words(text)
    return Counter(pair for word in words for pair in zip(word, word[1:], strict=False))


def pieces(text: str) -> tuple[Counter[str], Counter[Pair]]:
    """Letters and pairs within words as WordPiece sees them; pairs that occur twice or more."""
    words = WordPieceTokenizer.normalizer(text).split()
    spelled = [[w[0], *(INSIDE + c for c in w[1:])] for w in words]
    letters = Counter(s for word in spelled for s in word)
    pairs = Counter(p for word in spelled for p in zip(word, word[1:], strict=False))
    return letters, Counter({p: n for p, n in pairs.items() if n > 1})


def lifts(text: str) -> dict[Pair, float]:
    """The share of each pair in the product of its parts."""
    letters, pairs = pieces(text)
    return {(a, b): n / (letters[a] * letters[b]) for (a, b), n in pairs.items()}


def merged_once(text: str) -> Given:
    """Both tokenizers, trained on the text."""
    size = len(SPECIALS) + len(pieces(text)[0]) + 1
    bpe = BPETokenizer.train(text, len(set(text)) + 2)
    return Given(text, bpe, WordPieceTokenizer.train(text, size))


def knows_letters(given: Given) -> bool:
    """Whether the vocabularies hold the letters of the text and one piece more."""
    size = len(SPECIALS) + len(pieces(given.text)[0]) + 1
    return {*given.text} <= {*given.bpe.vocabulary.tokens} and size == len(
        given.wordpiece.vocabulary
    )


def overlapping(given: Given) -> Given:
    """The pairs of aaa overlap: two are counted, one is merged."""
    return merged_once("aaa aaa quiz quiz")


def by_count(given: Given) -> Pair:
    """What byte-pair encoding merged."""
    a, b = (given.bpe.vocabulary.token(i) for i in given.bpe.merges[0])
    return a, b


def by_lift(given: Given) -> Pair:
    """What WordPiece merged."""
    piece = given.wordpiece.vocabulary.tokens[-1]
    spelled = piece.removeprefix(INSIDE)
    return INSIDE * (piece != spelled) + spelled[0], INSIDE + spelled[1]


class WordpieceLift(Claim[Given]):
    sentences: int = option(60, low=4)  # sentences of the text

    relation = equals(ulps=2)  # a count, and a quotient of counts
    supposes = (
        Suppose(
            "the tokenizers were trained on this text",
            knows_letters,
            "Tokenizers trained on another text merge another pair.",
            bpe=lambda g: merged_once(g.text[:1] + " zyzy zyzy").bpe,
            wordpiece=lambda g: merged_once(g.text[:1] + " zyzy zyzy").wordpiece,
        ),
        Suppose(
            "the most frequent pair has two different letters",
            lambda g: len(set(by_count(g))) == 2,
            overlapping,
        ),
    )
    symbols = "largest score of all pairs", "saved by the first merge"
    rows = "count #(ab)", "lift #(ab)/(#(a) #(b))"

    def given(self, rng: Generator) -> Given:
        """A text of the small language, with a few words of rare letters."""
        (document,) = documents(1, self.sentences, rng=rng)
        return merged_once(" ".join(sentence.text for sentence in document) + " quiz quiz")

    def predict(self, given: Given) -> list[float]:
        return [max(pair_counts(given.text).values()), max(lifts(given.text).values())]

    def measure(self, given: Given) -> list[float]:
        """Tokens that the merge saves when the text is encoded, for WordPiece over #(a) #(b)."""
        letters, _ = pieces(given.text)
        a, b = by_lift(given)
        saved = letters.total() - len(given.wordpiece.encode(given.text))
        count = len(given.text) - len(given.bpe.encode(given.text))
        return [count, saved / (letters[a] * letters[b] or 1)]

    @picture(
        "Two criteria for a good pair: frequency, or frequency compared with chance",
        x="#(ab)",
        y="#(ab) / (#(a) #(b))",
        log="xy",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        pairs, scores = pieces(trial.given.text)[1], lifts(trial.given.text)
        best, top = max(pairs, key=lambda p: (pairs[p], p)), by_lift(trial.given)

        def shown(chosen: list[Pair], label: str, role: Role) -> Points:
            at = [pairs[p] for p in chosen], [scores[p] for p in chosen]
            return Points(*at, label=label, role=role)

        yield shown(list(pairs), "all pairs", "other")
        yield shown([best], f"most frequent: {''.join(best).replace(INSIDE, '')}", "measured")
        yield shown([top], f"WordPiece: {''.join(top).replace(INSIDE, '')}", "predicted")
