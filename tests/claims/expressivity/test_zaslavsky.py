import pytest
import torch

from corollary.claims.expressivity.zaslavsky import Given, Zaslavsky
from corollary.core import Verdict


def test_the_axes_and_a_diagonal_make_seven_regions():
    W = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
    result = Zaslavsky().check_given(Given(W, torch.tensor([0.0, 0.0, -1.0]).double()))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == result.measured[0].value == 7


def test_lines_through_a_point_are_not_in_general_position():
    W = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
    result = Zaslavsky().check_given(Given(W, torch.zeros(3).double()))
    assert result.verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize(("m", "n"), [(2, 1), (3, 4), (9, 2), (8, 3)])
def test_it_holds_for_drawn_hyperplanes_and_fails_without_general_position(m, n):
    claim = Zaslavsky(m=m, n=n)
    assert claim.check(1).verdict is Verdict.HOLDS
    assert claim.refute(1).fails


def test_few_hyperplanes_have_all_patterns():
    assert Zaslavsky(m=3, n=4).check(0).measured[0].value == 2**3
