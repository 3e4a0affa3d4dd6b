import pytest
import torch

from corollary.claims.expressivity.zaslavsky import Given, Zaslavsky
from corollary.core import Verdict

AXES = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)


def test_the_axes_and_a_diagonal_make_seven_regions():
    result = Zaslavsky().check_given(Given(AXES, torch.tensor([0.0, 0.0, -1.0]).double()))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == result.measured[0].value == 7


def test_lines_through_a_point_are_not_in_general_position():
    result = Zaslavsky().check_given(Given(AXES, torch.zeros(3).double()))
    assert result.verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize(("m", "n"), [(2, 1), (3, 4), (9, 2)])
def test_it_holds_for_other_numbers_and_fails_with_a_hyperplane_twice(m, n):
    result = Zaslavsky(m=m, n=n).check(1, draw=False)
    assert result.verdict is Verdict.HOLDS
    assert result.counterexamples[0].fails


def test_few_hyperplanes_have_all_patterns():
    assert Zaslavsky(m=3, n=4).check(0, draw=False).measured[0].value == 2**3
