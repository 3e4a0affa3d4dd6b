from corollary.claims.geometry.linear_set_maps import Given, LinearSetMaps
from corollary.core import Verdict


def test_two_by_two_by_hand():
    """W commutes with the swap iff w11 = w22 and w12 = w21: two free numbers."""
    result = LinearSetMaps().check_given(Given((2,), (((1, 0),),)))
    assert result.verdict is Verdict.HOLDS and result.measured[0].value == 2


def test_it_holds_at_other_sizes():
    assert LinearSetMaps(sizes=(4, 7)).check(0).verdict is Verdict.HOLDS


def test_rotations_alone_leave_more_maps():
    refuted = LinearSetMaps().refute(0)
    assert refuted.fails and [m.value for m in refuted.measured] == [2, 3, 5, 8]
