import copy

import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.models.tanh_to_sigmoid import convert_mlp


def mlp(activation, widths=(3, 7, 5, 2), dtype=torch.float64, bias=True):
    layers = []
    for n, m in zip(widths, widths[1:], strict=False):
        layers += [nn.Linear(n, m, bias=bias, dtype=dtype), activation()]
    net = nn.Sequential(*layers[:-1])
    rng = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for p in net.parameters():
            p.normal_(generator=rng)
    return net


def points(dtype=torch.float64):
    return torch.randn(40, 3, generator=torch.Generator().manual_seed(1), dtype=dtype)


@pytest.mark.parametrize("old, to", [(nn.Tanh, "sigmoid"), (nn.Sigmoid, "tanh")])
@pytest.mark.parametrize("widths", [(3, 2), (3, 7, 2), (3, 7, 5, 4, 2)])
def test_the_twin_computes_the_same_function(old, to, widths):
    net = mlp(old, widths)
    twin = convert_mlp(net, to)
    torch.testing.assert_close(twin(points()), net(points()), rtol=1e-11, atol=1e-11)
    assert not any(isinstance(layer, old) for layer in twin)


def test_there_and_back_gives_the_weights_one_had():
    net = mlp(nn.Tanh)
    back = convert_mlp(convert_mlp(net, "sigmoid"), "tanh")
    for a, b in zip(net.parameters(), back.parameters(), strict=True):
        torch.testing.assert_close(a, b)


def test_one_hidden_layer_follows_the_formula():
    net = mlp(nn.Tanh, (3, 7, 2))
    twin = convert_mlp(net, "sigmoid")
    torch.testing.assert_close(twin[0].weight, 2 * net[0].weight)
    torch.testing.assert_close(twin[0].bias, 2 * net[0].bias)
    torch.testing.assert_close(twin[2].weight, 2 * net[2].weight)
    torch.testing.assert_close(twin[2].bias, net[2].bias - net[2].weight.sum(dim=1))


def test_float32_keeps_its_dtype_and_agrees_to_its_precision():
    net = mlp(nn.Tanh, dtype=torch.float32)
    twin = convert_mlp(net, "sigmoid")
    x = points(torch.float32)
    assert twin[0].weight.dtype is torch.float32
    torch.testing.assert_close(twin(x), net(x), rtol=1e-5, atol=1e-5)


def test_the_network_is_left_as_it_was():
    net = mlp(nn.Tanh)
    before = copy.deepcopy(net.state_dict())
    convert_mlp(net, "sigmoid")
    assert all(torch.equal(before[k], v) for k, v in net.state_dict().items())


@pytest.mark.parametrize("old, to", [(nn.Tanh, "sigmoid"), (nn.Sigmoid, "tanh")])
def test_without_an_output_bias_the_conversion_is_refused(old, to):
    net = mlp(old, (3, 7, 2))
    net[2] = nn.Linear(7, 2, bias=False, dtype=torch.float64)
    with pytest.raises(InputError, match="layer '2' follows .* needs a bias"):
        convert_mlp(net, to)


def test_the_first_layer_needs_no_bias():
    net = mlp(nn.Tanh, (3, 7, 2))
    net[0] = nn.Linear(3, 7, bias=False, dtype=torch.float64)
    torch.testing.assert_close(convert_mlp(net, "sigmoid")(points()), net(points()))


def test_networks_of_another_build_are_refused_by_the_name_of_the_layer():
    with pytest.raises(InputError, match="got ReLU as layer '1'"):
        convert_mlp(mlp(nn.ReLU), "sigmoid")
    with pytest.raises(InputError, match="ends in a Linear layer"):
        convert_mlp(nn.Sequential(nn.Linear(1, 1), nn.Tanh()), "sigmoid")
