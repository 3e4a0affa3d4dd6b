import pytest
import torch

from corollary.claims.connectionism import cover_counting
from corollary.claims.connectionism.cover_counting import CoverCounting
from corollary.claims.connectionism.cover_transition import CoverTransition
from corollary.core import Verdict


def test_three_lines_through_the_origin_of_the_plane_make_six_cells():
    x = torch.tensor([[1.0, 0], [0, 1], [1, 1]], dtype=torch.float64)
    result = CoverCounting().check_given(cover_counting.Given(x))
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == [2, 4, 6]


def test_points_on_one_line_are_not_in_general_position():
    x = torch.tensor([[1.0, 0], [2, 0], [1, 1]], dtype=torch.float64)
    result = CoverCounting().check_given(cover_counting.Given(x))
    assert result.verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize(("s", "n"), [(2, 2), (9, 2), (9, 4), (5, 5)])
def test_the_count_holds_for_drawn_points(s, n):
    claim = CoverCounting(s=s, n=n)
    assert claim.check_given(claim.draw(1)).verdict is Verdict.HOLDS


def test_half_of_the_labellings_are_separable_at_two_points_a_dimension():
    claim = CoverTransition(n=(5,), trials=250)
    result = claim.check(2)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == 1.0 and result.predicted[2] == 0.5
    assert result.measured[0].value == 1.0
