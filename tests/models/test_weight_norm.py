import pytest
import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm as peer_norm

from corollary.errors import InputError
from corollary.models.weight_norm import WeightNormLinear
from corollary.theory.tricks.weight_normalisation import length_ratio, weight_norm


def layer(n=5, m=3):
    return WeightNormLinear(n, m, rng=torch.Generator().manual_seed(0))


def points(n=5):
    return torch.randn(7, n, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def test_it_is_torchs_weight_norm_with_the_same_gradients():
    ours, peer = layer(), peer_norm(nn.Linear(5, 3).double(), dim=0)
    with torch.no_grad():
        peer.parametrizations.weight.original1.copy_(ours.v)
        peer.parametrizations.weight.original0.copy_(ours.gamma[:, None])
        peer.bias.copy_(ours.b)
    torch.testing.assert_close(ours(points()), peer(points()))
    for net in (ours, peer):
        net(points()).pow(3).sum().backward()
    torch.testing.assert_close(ours.v.grad, peer.parametrizations.weight.original1.grad)
    torch.testing.assert_close(ours.gamma.grad, peer.parametrizations.weight.original0.grad[:, 0])


def test_the_written_gradients_are_those_of_autograd_and_orthogonal_to_v():
    ours = layer()
    W = ours.weight.detach().requires_grad_()
    nn.functional.linear(points(), W, ours.b).pow(3).sum().backward()
    ours(points()).pow(3).sum().backward()
    found = ours.gradients(W.grad)
    torch.testing.assert_close(found.v, ours.v.grad)
    torch.testing.assert_close(found.gamma, ours.gamma.grad)
    assert float((found.v * ours.v.detach()).sum(dim=1).abs().max()) < 1e-10


def test_a_step_lengthens_v_by_the_square_of_its_length():
    ours = layer()
    ours(points()).pow(2).sum().backward()
    v, h = ours.v.detach(), ours.v.grad
    torch.testing.assert_close(
        (v - 0.1 * h).square().sum(dim=1), v.square().sum(dim=1) + 0.01 * h.square().sum(dim=1)
    )


def test_the_direction_does_not_depend_on_the_length_of_v():
    v, gamma = points()[:3], torch.ones(3, dtype=torch.float64)
    torch.testing.assert_close(weight_norm(7 * v, gamma), weight_norm(v, gamma))
    torch.testing.assert_close(length_ratio(v, torch.eye(5).double()), gamma)


def test_a_direction_of_length_zero_is_refused():
    ours = layer()
    with torch.no_grad():
        ours.v[1] = 0
    with pytest.raises(InputError, match="row 1"):
        ours(points())


def test_inputs_of_the_wrong_size_are_refused():
    with pytest.raises(InputError, match="5 features"):
        layer()(points(4))
    with pytest.raises(InputError, match="n >= 1"):
        layer(0, 1)
