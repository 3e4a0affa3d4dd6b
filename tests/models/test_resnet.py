import pytest
import torch

from corollary.errors import InputError
from corollary.models.resnet import BasicBlock, Bottleneck, ResNet, resnet


def rng():
    return torch.Generator().manual_seed(0)


def count(module):
    return sum(p.numel() for p in module.parameters())


@pytest.mark.parametrize(
    ("depth", "parameters"), [(18, 11_689_512), (34, 21_797_672), (50, 25_557_032)]
)
def test_networks_have_the_published_numbers_of_parameters(depth, parameters):
    assert count(resnet(depth, rng=rng())) == parameters


@pytest.mark.parametrize("block", [BasicBlock, Bottleneck])
def test_a_zero_last_scale_leaves_relu_of_the_shortcut(block):
    x = torch.randn(2, 8, 6, 6, generator=rng(), dtype=torch.float64)
    same = block(8, 8 // block.expansion, zero_last=True, rng=rng())
    assert torch.equal(same(x), torch.relu(x))
    other = block(8, 4, stride=2, zero_last=True, rng=rng())
    torch.testing.assert_close(other(x), torch.relu(other.sum.shortcut(x)))


def test_a_block_counts_its_parameters_by_hand():
    assert count(BasicBlock(4, 4, rng=rng())) == 2 * (9 * 16 + 8)
    assert count(BasicBlock(4, 8, stride=2, rng=rng())) == 9 * 32 + 9 * 64 + 32 + 3 * 16


def test_stages_halve_the_size():
    net = ResNet(BasicBlock, (1, 1, 1), 1, 5, width=4, small_images=True, rng=rng())
    x = torch.randn(2, 1, 16, 16, generator=rng(), dtype=torch.float64)
    assert net.features(x).shape == (2, 16, 4, 4) and net(x).shape == (2, 5)


def test_unknown_layouts_are_refused():
    with pytest.raises(InputError, match=r"a depth among \[18, 34, 50\], got 20"):
        resnet(20, rng=rng())
    with pytest.raises(InputError, match="every stage needs at least one block"):
        ResNet(BasicBlock, (1, 0), rng=rng())
