import pytest

from corollary.claims.sequences.wordpiece_lift import (
    WordpieceLift,
    by_count,
    by_lift,
    merged_once,
)
from corollary.core import Verdict

TEXT = "axbaxcaxdax abxa axxa qu qu"  # ax five times; q twice, u twice, always together


def test_by_hand_the_frequent_pair_is_not_the_one_with_the_largest_lift():
    given = merged_once(TEXT)
    assert (by_count(given), by_lift(given)) == (("a", "x"), ("q", "##u"))
    result = WordpieceLift().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == [5, 0.5]


def test_a_tokenizer_that_merged_another_pair_is_noticed():
    given = merged_once(TEXT)._replace(bpe=merged_once(TEXT.replace("ax", "xa")).bpe)
    assert WordpieceLift().check_given(given).verdict is Verdict.FAILS


@pytest.mark.parametrize("seed", range(4))
def test_on_drawn_texts_the_two_merge_different_pairs_first(seed):
    given = WordpieceLift(sentences=30).draw(seed)
    assert "".join(by_count(given)) != "".join(by_lift(given)).replace("##", "")
