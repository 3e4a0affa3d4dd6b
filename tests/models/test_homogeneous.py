import pytest
import torch

from corollary.errors import InputError
from corollary.models.homogeneous import HomogeneousNet


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("bias", ["none", "first"])
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_scaling_all_parameters_scales_the_output_by_the_power_of_the_depth(bias, depth):
    net = HomogeneousNet([3, *[5] * (depth - 1), 2], bias=bias, rng=rng())
    x = torch.randn(7, 3).double()
    before = net(x)
    with torch.no_grad():
        for p in net.parameters():
            p.mul_(1.7)
    torch.testing.assert_close(net(x), 1.7**depth * before)


def test_an_output_bias_breaks_it():
    net = HomogeneousNet([3, 5, 1], bias="output", rng=rng())
    with torch.no_grad():
        net.layers[-1].b.fill_(1.0)
    x = torch.randn(7, 3).double()
    before = net(x).detach()
    with torch.no_grad():
        for p in net.parameters():
            p.mul_(2.0)
    off = (net(x).detach() - 4 * before).abs().max()
    assert float(off) == pytest.approx(2.0)


def test_the_two_layer_network_is_the_sum_of_its_units():
    net = HomogeneousNet([2, 4, 1], bias="first", rng=rng())
    with torch.no_grad():
        net.layers[0].b.copy_(torch.arange(4.0))
    x = torch.randn(6, 2).double()
    w, b, v = net.layers[0].W, net.layers[0].b, net.layers[1].W[0]
    expected = sum(v[j] * torch.relu(x @ w[j] + b[j]) for j in range(4))
    torch.testing.assert_close(net(x), expected)


def test_wrong_widths_and_biases_are_refused():
    with pytest.raises(InputError, match="input and an output"):
        HomogeneousNet([3], rng=rng())
    with pytest.raises(InputError, match="'none', 'first' or 'output'"):
        HomogeneousNet([3, 1], bias="last", rng=rng())
