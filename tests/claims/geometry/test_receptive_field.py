import pytest

from corollary.claims.geometry.receptive_field import ReceptiveField, announced
from corollary.core import Verdict, generator


@pytest.mark.parametrize("node", [0, 11, 33])
def test_it_holds_for_other_members(node):
    assert ReceptiveField(node=node, K=4).check(0).verdict is Verdict.HOLDS


def test_member_11_has_one_friend_the_instructor_with_sixteen():
    """Within one hop: two members; within two: the instructor and all friends of his."""
    result = ReceptiveField(node=11, K=2).check(1)
    assert [m.value for m in result.measured] == [1.0, 2.0, 17.0]


def test_a_message_to_all_reaches_all():
    claim = ReceptiveField()
    given = claim.given(generator(0, "all"))
    told = given._replace(layers=[announced(layer) for layer in given.layers])
    assert claim.measure(told)[1] == 34
