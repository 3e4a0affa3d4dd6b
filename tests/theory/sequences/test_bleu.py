import math

import pytest

from corollary.errors import InputError
from corollary.theory.sequences.bleu import bleu, cut_13a

# Values of sacrebleu 2 at its defaults (13a tokenizer, exponential smoothing).
SACREBLEU = [
    ("a b c d e x", "a b y z q w", 16.233395773754953),
    ('1,000.5-ton; "x" (y)! a/b & c', '1,000.5-ton: "x" (z)! a/b & d', 53.7284965911771),
    ("dog", "dog", 0.0),
    ("the cat sat", "the cat sat on it", 0.0),
]


@pytest.mark.parametrize(("said", "meant", "value"), SACREBLEU)
def test_values_are_those_of_sacrebleu(said, meant, value):
    assert bleu([said], [meant]) == pytest.approx(value, abs=1e-9)


def test_counts_are_those_of_the_corpus_and_not_means_of_sentences():
    said, meant = ["a b c d e", "x"], ["a b c d e", "y"]
    precisions = 5 / 6 * 4 / 4 * 3 / 3 * 2 / 2
    assert bleu(said, meant) == pytest.approx(100 * precisions**0.25)


def test_a_short_translation_is_penalised():
    value = bleu(["a b c d e f"], ["a b c d e f g h"])
    assert value == pytest.approx(100 * math.exp(-1 / 3))


def test_numbers_keep_their_marks():
    assert cut_13a("3,5 km, at 10.5%.") == ["3,5", "km", ",", "at", "10.5", "%", "."]


def test_unequal_lengths_are_refused():
    with pytest.raises(InputError, match="one reference per translation"):
        bleu(["a"], [])
