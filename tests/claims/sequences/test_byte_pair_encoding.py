from corollary.claims.sequences.byte_pair_encoding import LOWER, BytePairEncoding, Given
from corollary.core import Verdict
from corollary.theory.sequences.tokenizers.bpe import BPETokenizer


def test_the_example_by_hand_has_eight_tokens_and_length_five():
    text = "aaabdaaabac"  # a+a four times as pairs but twice replaced, a+b twice, aa+ab twice
    result = BytePairEncoding().check_given(
        Given(text, BPETokenizer.train(text, 8, normalizer=LOWER))
    )
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == [8, 5, 11, 0]


def test_a_text_with_unknown_characters_is_not_its_subject():
    given = Given("xyz", BPETokenizer.train("aaabdaaabac", 8, normalizer=LOWER))
    assert BytePairEncoding().check_given(given).verdict is Verdict.INAPPLICABLE
