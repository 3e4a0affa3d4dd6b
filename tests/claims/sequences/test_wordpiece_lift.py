import pytest

from corollary.claims.sequences.wordpiece_lift import Given, WordpieceLift
from corollary.core import Verdict, generator


def test_by_hand_the_frequent_pair_is_not_the_one_with_the_largest_lift():
    text = "axbaxcaxdax abxa axxa qu qu"  # ax five times; q twice, u twice, always together
    given = Given(text, text, ("a", "x"), ("q", "##u"))
    result = WordpieceLift().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == [5, 0.5]


def test_another_pair_is_noticed():
    text = "axbaxcaxdax abxa axxa qu qu"
    given = Given(text, text, ("a", "x"), ("a", "##x"))
    assert WordpieceLift().check_given(given).verdict is Verdict.FAILS


@pytest.mark.parametrize("seed", range(4))
def test_on_drawn_texts_the_two_merge_different_pairs_first(seed):
    claim = WordpieceLift(sentences=30)
    assert claim.check(seed).verdict is Verdict.HOLDS
    given = claim.given(generator(seed, "text"))
    assert "".join(given.by_count) != "".join(given.by_lift).replace("##", "")
