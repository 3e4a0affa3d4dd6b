import pytest
import torch
from torch.nn import functional as F

from corollary.data.point_clouds import lollipops, point_clouds
from corollary.errors import InputError
from corollary.models.pointnet import PointNetCls, PointNetFeatures, PointNetSeg
from corollary.models.t_net import TNet, orthogonality_penalty
from corollary.train import fit

SMALL = {"local": (16, 16), "deep": (16, 32), "head": (16,)}


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


def shaken(net, rng):
    """Noise on all weights, so that T-nets no longer give the identity."""
    with torch.no_grad():
        for p in net.parameters():
            p += 0.1 * torch.randn(p.shape, generator=rng, dtype=p.dtype)
    return net


def test_the_classifier_is_invariant_and_the_segmenter_equivariant(rng):
    cls, seg = (shaken(C(4, **SMALL, rng=rng), rng) for C in (PointNetCls, PointNetSeg))
    for M in (1, 20, 33):
        x = torch.randn(2, M, 3, generator=rng, dtype=torch.float64)
        perm = torch.randperm(M, generator=rng)
        assert torch.allclose(cls(x[:, perm]), cls(x))
        assert torch.allclose(seg(x[:, perm]), seg(x)[:, perm])
        assert cls(x).shape == (2, 4) and seg(x).shape == (2, M, 4)


def test_the_widths_are_those_of_the_paper(rng):
    net = PointNetSeg(50, rng=rng)
    assert net.features.local.widths == [3, 64, 64]
    assert net.features.deep.widths == [64, 64, 128, 1024]
    assert net.head.widths[0] == 64 + 1024 == 1088
    assert (net.features.input_transform.k, net.features.feature_transform.k) == (3, 64)


def test_without_the_points_that_are_not_critical_the_global_feature_is_the_same(rng):
    net = PointNetFeatures((16,), (32,), align=False, rng=rng)
    x = torch.randn(200, 3, generator=rng, dtype=torch.float64)
    critical = net.critical_points(x)
    assert 1 <= len(critical) <= 32
    assert torch.allclose(net(x[critical])[1], net(x)[1], rtol=1e-12)
    without = torch.ones(200, dtype=torch.bool)
    without[critical[0]] = False
    assert not torch.allclose(net(x[without])[1], net(x)[1], rtol=1e-6)


def test_both_learn(rng):
    x, y = point_clouds(48, 24, noise=0.02, rng=rng)
    cls = PointNetCls(3, **SMALL, align=False, rng=rng)
    fit(cls, (x, y), F.cross_entropy, lambda p: torch.optim.Adam(p, lr=1e-2), steps=60)
    assert float((cls(x).argmax(1) == y).double().mean()) > 0.9
    x, part = lollipops(24, 24, rng=rng)
    seg = PointNetSeg(2, **SMALL, align=False, rng=rng)

    def loss(logits, part):
        return F.cross_entropy(logits.flatten(0, 1), part.flatten())

    fit(seg, (x, part), loss, lambda p: torch.optim.Adam(p, lr=1e-2), steps=60)
    assert float((seg(x).argmax(2) == part).double().mean()) > 0.9


def test_the_penalty_reaches_the_feature_transform_alone(rng):
    net = shaken(PointNetFeatures((8,), (16,), rng=rng), rng)
    x = torch.randn(2, 10, 3, generator=rng, dtype=torch.float64)
    local = net.local(net.input_transform(x))
    want = orthogonality_penalty(net.feature_transform.matrix(local)).mean()
    assert net.penalty(x).item() == pytest.approx(want.item()) and want.item() > 0
    assert float(PointNetFeatures((8,), (16,), align=False, rng=rng).penalty(x).detach()) == 0


def test_clouds_of_another_dimension_are_refused(rng):
    with pytest.raises(InputError, match="M, 3"):
        PointNetCls(2, **SMALL, rng=rng).features.of_points(torch.zeros(5, 2))


def test_a_t_net_starts_at_the_identity_and_its_matrix_does_not_see_the_order(rng):
    net = TNet(4, local=(8, 16), after=(8,), rng=rng)
    x = torch.randn(3, 12, 4, generator=rng, dtype=torch.float64)
    assert torch.equal(net.matrix(x), torch.eye(4).double().expand(3, 4, 4))
    assert torch.equal(net(x), x) and net.penalty(x).item() == 0
    shaken(net, rng)
    perm = torch.randperm(12, generator=rng)
    assert torch.allclose(net.matrix(x[:, perm]), net.matrix(x))  # invariant
    assert torch.allclose(net(x[:, perm]), net(x)[:, perm])  # equivariant
    assert not torch.allclose(net(x[:, perm]), net(x))  # and so not invariant


def test_the_predicted_matrix_is_not_rigid(rng):
    """The notes: T-nets apply rigid transformations. Away from its start, distances change."""
    net = shaken(TNet(3, local=(8, 16), after=(8,), rng=rng), rng)
    x = torch.randn(12, 3, generator=rng, dtype=torch.float64)
    assert net.penalty(x).item() > 0.01
    assert not torch.allclose(torch.cdist(net(x), net(x)), torch.cdist(x, x), rtol=0.01)


def test_the_penalty_is_zero_for_orthogonal_matrices_alone(rng):
    Q = torch.linalg.qr(torch.randn(5, 5, generator=rng, dtype=torch.float64)).Q
    assert float(orthogonality_penalty(Q)) < 1e-25
    A = torch.randn(7, 5, 5, generator=rng, dtype=torch.float64)
    s = torch.linalg.svdvals(A)
    assert torch.allclose(orthogonality_penalty(A), ((1 - s**2) ** 2).sum(1))
    assert float(orthogonality_penalty(1.01 * Q)) > 1e-3
