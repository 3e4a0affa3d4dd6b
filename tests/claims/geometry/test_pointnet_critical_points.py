import pytest
import torch

from corollary.claims.geometry.pointnet_critical_points import Given, PointnetCriticalPoints
from corollary.core import Verdict


def test_three_points_and_two_features_by_hand():
    h = torch.tensor([[1.0, 5.0], [4.0, 2.0], [3.0, 3.0]], dtype=torch.float64)
    X = torch.zeros(3, 3, dtype=torch.float64)
    result = PointnetCriticalPoints().check_given(Given(X, h, torch.tensor([0, 1])))
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == [4.0, 5.0]
    lost = Given(X, h, torch.tensor([0, 2]))
    assert PointnetCriticalPoints().check_given(lost).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_clouds(seed):
    assert PointnetCriticalPoints(M=50, K=8).check(seed).verdict is Verdict.HOLDS
