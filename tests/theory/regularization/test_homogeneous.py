import pytest
import torch
from torch import nn

from corollary.data.supported_cloud import supported_cloud
from corollary.errors import InputError
from corollary.models.homogeneous import HomogeneousNet
from corollary.theory.regularization.hard_margin import hard_margin_svm
from corollary.theory.regularization.homogeneous import (
    euler_product,
    homogeneity_degree,
    margin_flow,
)
from corollary.theory.regularization.margin_losses import LOGISTIC
from corollary.theory.regularization.separable_descent import separable_flow


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def points(n=9, d=3, seed=1):
    return torch.randn(n, d, generator=rng(seed), dtype=torch.float64)


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_the_degree_is_the_depth_for_networks_without_biases(depth):
    net = HomogeneousNet([3, *[6] * (depth - 1), 1], rng=rng())
    found = homogeneity_degree(net, points())
    assert found.homogeneous and found.degree == pytest.approx(depth)
    torch.testing.assert_close(
        euler_product(net, points()), depth * net(points()).detach(), atol=1e-9, rtol=1e-6
    )


def test_torch_networks_are_read_too():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1, bias=False)).double()
    assert homogeneity_degree(net, points()).degree == pytest.approx(2)


def test_an_output_bias_and_a_smooth_activation_break_it():
    torch.manual_seed(0)
    biased = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1)).double()
    smooth = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1, bias=False)).double()
    for net in (biased, smooth):
        assert not homogeneity_degree(net, points()).homogeneous
        assert float((euler_product(net, points()) - 2 * net(points())).detach().abs().max()) > 0.01


def test_the_euler_product_is_parameters_times_gradient():
    net = HomogeneousNet([3, 4, 1], rng=rng())
    x = points(1)
    net(x).sum().backward()
    expected = sum((p * p.grad).sum() for p in net.parameters())
    assert euler_product(net, x).item() == pytest.approx(float(expected.detach()))


def test_a_network_that_gives_zero_has_no_degree():
    net = HomogeneousNet([3, 4, 1], scale=0.0, rng=rng())
    with pytest.raises(InputError, match="0 at every point"):
        homogeneity_degree(net, points())


def test_the_linear_model_follows_the_separable_flow_and_finds_the_support_vector_machine():
    cloud = supported_cloud(10, 2, rng=rng())
    net = HomogeneousNet([2, 1], rng=rng(3))
    s = torch.tensor([2.0, 10.0, 40.0]).double()
    flow = margin_flow(net, cloud.x, cloud.y, s, degree=1, loss=LOGISTIC)
    exact = separable_flow(cloud.signed, net.layers[0].W[0].detach(), s)
    torch.testing.assert_close(flow.theta, exact.w, atol=2e-2, rtol=1e-2)
    svm = hard_margin_svm(cloud.x, cloud.y)
    assert float(flow.normalised(1)[-1]) == pytest.approx(svm.margin, rel=0.05)
    cosine = flow.theta[-1] @ svm.w / flow.theta[-1].norm() / svm.w.norm()
    assert float(cosine) > 0.999
    assert bool((flow.normalised(1) >= flow.smoothed).all())


def test_loss_vanishes_and_parameters_grow():
    cloud = supported_cloud(10, 2, rng=rng())
    net = HomogeneousNet([2, 4, 1], rng=rng(2))
    before = [p.detach().clone() for p in net.parameters()]
    s = torch.tensor([1.0, 4.0, 8.0, 16.0]).double()
    flow = margin_flow(net, cloud.x, cloud.y, s, degree=2)
    assert bool((flow.log_loss.diff() < 0).all()) and float(flow.log_loss[-1]) < -10
    assert bool((flow.norm.diff() > 0).all())
    assert all(torch.equal(a, b) for a, b in zip(before, net.parameters(), strict=True))


def test_points_with_both_labels_stop_the_flow_with_a_sentence():
    x = torch.ones(2, 1).double()
    net = HomogeneousNet([1, 1], rng=rng())
    with pytest.raises(InputError, match="cannot all grow"):
        margin_flow(
            net, x, torch.tensor([1.0, -1.0]).double(), torch.tensor([12.0]).double(), degree=1
        )
