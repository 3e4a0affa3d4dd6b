from corollary.claims.sequences.viterbi_cut import Given, ViterbiCut
from corollary.core import Verdict


def test_by_hand_two_pieces_beat_three():
    scores = {"a": -1.0, "b": -1.0, "ab": -1.5, "bb": -1.25}
    result = ViterbiCut().check_given(Given(["abb"], scores, 2))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == (-2.25,)  # a bb, better than ab b (-2.5) and a b b (-3)


def test_a_bonus_for_repeats_is_not_seen():
    given = Given(["aa"], {"a": -1.0, "aa": -1.5}, 2, 2.0)
    claim = ViterbiCut()
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert (claim.predict(given), claim.measure(given)) == ([0.0], [-1.5])
