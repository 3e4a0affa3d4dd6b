from corollary.claims.connectionism.hopfield_transition import HopfieldTransition
from corollary.core import Verdict


def test_small_networks_approach_the_critical_load_too_slowly_to_show_it():
    claim = HopfieldTransition(sizes=(64, 96, 128, 192), neurons=1500)
    assert (
        claim.check_given(claim.draw(0), draw=False).verdict is Verdict.FAILS
    )  # still some 0.06 above: n has to grow


def test_the_load_of_the_drop_comes_down_to_the_critical_one():
    claim = HopfieldTransition()
    result = claim.check_given(claim.draw(5), seed=5)
    assert result.verdict is Verdict.HOLDS
    assert 0.13 < result.measured[0].value < 0.17


def test_orthogonal_patterns_are_never_lost():
    refuted = HopfieldTransition(sizes=(64, 128, 256, 512)).refute(0)
    assert refuted.fails
    assert refuted.measured[0].value == 0.3  # the largest load tried
