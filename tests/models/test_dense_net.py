from functools import partial

import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.models.dense_net import (
    DenseBlock,
    DenseNet,
    bn_relu_conv,
    dense_block_parameters,
)


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def parameters(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


@pytest.mark.parametrize(("k0", "L", "k"), [(3, 1, 4), (16, 6, 12)])
def test_channels_grow_by_k_a_layer_and_the_parameter_formula_counts_them(k0, L, k):
    block = DenseBlock(k0, L, k, rng=rng())
    assert [layer[2].in_channels for layer in block.layers] == [k0 + i * k for i in range(L)]
    assert block(torch.zeros(2, k0, 4, 4, dtype=torch.float64)).shape == (2, k0 + L * k, 4, 4)
    assert parameters(block) == dense_block_parameters(k0, L, k)


def test_each_layer_sees_the_input_and_all_outputs_before_it():
    block = DenseBlock(2, 3, 2, partial(nn.Linear, bias=False, dtype=torch.float64))
    x = torch.randn(5, 2, generator=rng(), dtype=torch.float64)
    seen = [x]
    for layer in block.layers:
        seen.append(torch.cat(seen, dim=1) @ layer.weight.T)
    torch.testing.assert_close(block(x), torch.cat(seen, dim=1))


def test_the_last_layer_reaches_the_input_when_all_middle_layers_are_zero():
    block = DenseBlock(3, 4, 2, rng=rng())
    with torch.no_grad():
        for layer in block.layers[:-1]:
            layer[2].weight.zero_()
    x = torch.randn(4, 3, 5, 5, generator=rng(), dtype=torch.float64, requires_grad=True)
    last = block(x)[:, -2:]
    weights = torch.randn(last.shape, generator=rng(), dtype=torch.float64)
    (gradient,) = torch.autograd.grad((last * weights).sum(), x)
    assert gradient.abs().min(dim=0).values.max() > 0


def test_the_network_of_40_layers_and_growth_12_has_the_published_size():
    """Huang et al. (2017), Table 2: 1.0 million parameters for L = 40, k = 12."""
    net = DenseNet(
        3,
        10,
        blocks=(12, 12, 12),
        growth=12,
        stem=16,
        compression=1.0,
        rng=rng(),
        dtype=torch.float32,
    )
    assert round(parameters(net) / 1e6, 1) == 1.0
    blocks = sum(dense_block_parameters(16 + 144 * i, 12, 12) for i in range(3))
    transitions = sum(c * (c + 2) for c in (160, 304))
    ends = 9 * 3 * 16 + 2 * 448 + 448 * 10 + 10
    assert parameters(net) == blocks + transitions + ends


def test_a_small_network_reads_images_and_draws_nothing_from_the_global_generator():
    state = torch.get_rng_state()
    make = partial(DenseNet, 1, 10, blocks=(2, 2), growth=4)
    one, two = make(rng=rng()), make(rng=rng())
    assert torch.equal(torch.get_rng_state(), state)
    x = torch.randn(3, 1, 8, 8, generator=rng(), dtype=torch.float64)
    assert torch.equal(one(x), two(x))
    assert one(x).shape == (3, 10)


def test_sizes_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="growth >= 1"):
        DenseBlock(3, 2, 0, rng=rng())
    with pytest.raises(InputError, match="pass rng, or H"):
        DenseBlock(3, 2, 1)
    with pytest.raises(InputError, match="expected 3 channels"):
        DenseBlock(3, 2, 1, rng=rng())(torch.zeros(1, 4, 2, 2, dtype=torch.float64))
    with pytest.raises(InputError, match="compression"):
        DenseNet(1, 2, compression=0.0, rng=rng())
    assert isinstance(bn_relu_conv(1, 1, rng=rng()), nn.Module)
