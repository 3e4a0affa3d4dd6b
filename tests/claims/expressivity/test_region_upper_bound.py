import pytest
import torch
from torch import nn

from corollary.claims.expressivity.region_upper_bound import Given, RegionUpperBound
from corollary.core import Verdict


def test_two_axes_attain_the_bound():
    net = nn.Sequential(nn.Linear(2, 2, dtype=torch.float64), nn.ReLU())
    net[0].weight.data, net[0].bias.data = torch.eye(2).double(), torch.zeros(2).double()
    result = RegionUpperBound(widths=(2,)).check_given(Given(net, (2,)))
    assert result.verdict is Verdict.HOLDS
    assert [r.value for r in result.measured] == [4, 4] and list(result.predicted) == [4, 4]


def test_five_lines_around_a_circle_make_sixteen_regions():
    claim = RegionUpperBound()
    result = claim.check_given(claim.tight())
    assert [r.value for r in result.measured] == list(result.predicted) == [16, 16]


@pytest.mark.parametrize("widths", [(1,), (3, 3), (5, 2, 5)])
def test_it_holds_for_other_shapes(widths):
    assert RegionUpperBound(widths=widths).check(0, draw=False).verdict is Verdict.HOLDS
