import pytest

from corollary.claims.sequences.byte_pair_encoding import BytePairEncoding, Given
from corollary.core import Verdict
from corollary.theory.sequences.tokenizers.bpe import BPETokenizer


def test_the_example_by_hand_has_eight_tokens_and_length_five():
    text = "aaabdaaabac"  # a+a four times as pairs but twice replaced, a+b twice, aa+ab twice
    result = BytePairEncoding().check_given(Given(text, BPETokenizer.train(text, 8)))
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == [8, 5, 11]


def test_a_text_with_unknown_characters_is_not_its_subject():
    given = Given("xyz", BPETokenizer.train("aaabdaaabac", 8))
    assert BytePairEncoding().check_given(given).verdict is Verdict.INAPPLICABLE


def test_a_string_built_twice_breaks_the_count_of_the_vocabulary():
    refuted = BytePairEncoding().refute(0)
    assert refuted.fails and refuted.broken == ("no token is built in two ways",)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("merges", [1, 20, 60])
def test_it_holds_for_drawn_texts(seed, merges):
    assert BytePairEncoding(sentences=20, merges=merges).check(seed).verdict is Verdict.HOLDS
