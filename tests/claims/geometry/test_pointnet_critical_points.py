import pytest
import torch

from corollary.claims.geometry.pointnet_critical_points import PointnetCriticalPoints
from corollary.core import Verdict, generator


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_clouds(seed):
    assert PointnetCriticalPoints(M=50, K=8).check(seed).verdict is Verdict.HOLDS


def test_at_most_as_many_points_as_features_are_critical():
    X, net, (critical, *_) = PointnetCriticalPoints(M=300, K=8).given(generator(0, "few"))
    assert len(critical) <= 8
    assert torch.equal(net.of_points(X)[1][critical].amax(0), net(X)[1])


def test_a_wrong_critical_set_is_refuted(monkeypatch):
    """The first ten points, called critical, do not give the global feature."""
    from corollary.models.pointnet import PointNetFeatures

    monkeypatch.setattr(PointNetFeatures, "critical_points", lambda net, x: torch.arange(10))
    assert PointnetCriticalPoints().check(0).verdict is Verdict.FAILS


def test_without_a_critical_point_it_does_not_apply():
    claim = PointnetCriticalPoints(M=50, K=8)
    given = claim.given(generator(0, "lost"))
    lost = given._replace(kept=(given.kept[0][1:],))
    assert claim.check_given(lost).verdict is Verdict.INAPPLICABLE
