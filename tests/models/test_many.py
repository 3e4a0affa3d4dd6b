"""Many networks in one: outputs, gradients and training are those of each alone."""

import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.models.many import Many, summed
from corollary.models.transformers.gpt import GPT
from corollary.train import fit


def drawn(make, R=3):
    return [make() for _ in range(R)]


def mlp():
    return nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1)).double()


def test_outputs_are_those_of_each_network():
    nets, x = drawn(mlp), torch.randn(5, 2).double()
    torch.testing.assert_close(Many(nets)(x), torch.stack([net(x) for net in nets]))


def test_a_transformer_reads_shared_tokens():
    rng = torch.Generator().manual_seed(0)
    nets = drawn(lambda: GPT(5, 8, 2, 1, positions="sinusoidal", rng=rng))
    tokens = torch.tensor([[0, 4, 2], [3, 3, 1]])
    torch.testing.assert_close(Many(nets)(tokens), torch.stack([net(tokens) for net in nets]))


@pytest.mark.parametrize(
    "make",
    [lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9), lambda p: torch.optim.Adam(p, lr=0.01)],
    ids=["momentum", "Adam"],
)
def test_together_each_is_trained_as_alone(make):
    nets, x = drawn(mlp), torch.randn(20, 2).double()
    y = x.prod(dim=1, keepdim=True)
    many, loss = Many(nets), nn.functional.mse_loss
    fit(many, (x, y), summed(loss), make, steps=30, batch_size=8, rng=1)
    for net, other in zip(nets, many.apart(), strict=True):
        fit(net, (x, y), loss, make, steps=30, batch_size=8, rng=1)
        torch.testing.assert_close(other(x), net(x))


def test_running_statistics_are_kept_for_each():
    nets = drawn(lambda: nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)))
    many, x = Many(nets), torch.randn(7, 2)
    many(x)
    for net, other in zip(nets, many.apart(), strict=True):
        net(x)
        torch.testing.assert_close(other[1].running_mean, net[1].running_mean)
    torch.testing.assert_close(many.eval()(x), torch.stack([net.eval()(x) for net in nets]))


def test_the_networks_are_left_as_they_are():
    nets, x = drawn(mlp), torch.randn(5, 2).double()
    before = [net(x) for net in nets]
    many = Many(nets)
    with torch.no_grad():
        many.theta[0].zero_()
    assert all(torch.equal(net(x), old) for net, old in zip(nets, before, strict=True))


def test_zeros_that_pad_a_narrow_relu_layer_stay_zero():
    narrow, x = mlp(), torch.randn(6, 2).double()
    with torch.no_grad():
        for p in (narrow[0].weight, narrow[0].bias, narrow[2].weight.T):
            p[2:] = 0
    many = Many([narrow, mlp()])
    adam = torch.optim.Adam(many.parameters(), lr=0.1)
    fit(many, (x, x[:, :1]), summed(nn.functional.mse_loss), adam, steps=20)
    padded = many.apart()[0]
    assert not padded[0].weight[2:].any() and not padded[2].weight[:, 2:].any()
    assert padded[0].weight[:2].all()


@pytest.mark.parametrize(
    "nets, message",
    [
        ([], "there is no network"),
        ([nn.ReLU()], "ReLU has none"),
        ([nn.Linear(2, 1), nn.Linear(3, 1)], "network 1 differs from network 0 in 'weight'"),
        ([nn.Linear(1, 1), nn.Sequential(nn.Linear(1, 1))], "differs from network 0 in '0.bias'"),
        ([nn.Linear(2, 1), nn.Linear(2, 1).eval()], "not in the same mode"),
    ],
)
def test_networks_that_cannot_be_stacked_are_named(nets, message):
    with pytest.raises(InputError, match=message):
        Many(nets)
