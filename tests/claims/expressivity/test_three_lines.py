import pytest
import torch

from corollary.claims.expressivity.three_lines import Given, ThreeLines, relu_regions_2d
from corollary.core import Verdict

AXES = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)


def test_one_pattern_of_eight_is_missing():
    given = Given(AXES, torch.tensor([0.0, 0.0, -0.5]).double(), 1.0)
    result = ThreeLines().check_given(given)
    assert result.verdict is Verdict.HOLDS
    found = {tuple(row) for row in relu_regions_2d(*given).patterns().tolist()}
    assert len(found) == 7 and (0, 0, 1) not in found  # x, y < 0 and x + y > 1/2 at once


def test_concurrent_lines_make_six_and_parallel_ones_four():
    assert relu_regions_2d(AXES, torch.zeros(3).double(), 1.0).count == 6
    parallel = AXES[:1].expand(3, 2).contiguous()
    assert relu_regions_2d(parallel, torch.tensor([-0.5, 0.0, 0.5]).double(), 1.0).count == 4


def test_a_square_that_misses_a_meeting_point_does_not_count():
    given = Given(AXES, torch.tensor([0.0, 0.0, -5.0]).double(), 1.0)
    result = ThreeLines().check_given(given)
    assert result.verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("seed", range(10))
def test_it_holds_for_drawn_lines(seed):
    assert ThreeLines(wobble=0.4).check(seed).verdict is Verdict.HOLDS
