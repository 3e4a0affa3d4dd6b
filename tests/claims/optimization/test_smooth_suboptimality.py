import pytest
import torch

from corollary.claims.optimization.smooth_suboptimality import Given, SmoothSuboptimality
from corollary.core import Verdict


def test_a_round_bowl_attains_the_bound():
    x = torch.tensor([[3.0, 4.0], [0.0, 1.0]]).double()
    given = Given(lambda x: 2.5 * x.square().sum(), 5.0, torch.zeros(2).double(), x)
    result = SmoothSuboptimality().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == pytest.approx([62.5, 2.5])
    assert [m.value for m in result.measured] == pytest.approx([62.5, 2.5])


def test_a_local_minimum_in_place_of_the_global_one_is_found():
    refuted = SmoothSuboptimality().refute(0)
    assert refuted.fails and refuted.broken == ("x* is a global minimum",)


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_points(seed):
    assert SmoothSuboptimality(d=4, spread=10.0).check(seed).verdict is Verdict.HOLDS
