import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.models.resnet9 import ResNet9


@pytest.fixture(scope="module")
def net():
    return ResNet9(3, 10, rng=torch.Generator().manual_seed(0)).eval()


def images(size):
    return torch.rand(2, 3, size, size, generator=torch.Generator().manual_seed(1))


def literal(net, x):
    """The listing's end, MaxPool2d(4) and a linear layer, on the same weights."""
    return net.classifier(nn.Flatten()(nn.MaxPool2d(4)(net.features(x))))


def test_parameters_are_as_counted_by_hand(net):
    pairs = [(3, 64), (64, 128), (128, 128), (128, 128), (128, 256), (256, 512)]
    pairs += [(512, 512), (512, 512)]
    by_hand = sum(9 * a * b + b + 2 * b for a, b in pairs) + 512 * 10 + 10
    assert sum(p.numel() for p in net.parameters()) == by_hand == 6_575_370


@torch.no_grad()
def test_at_32_pixels_it_is_the_listing(net):
    x = images(32)
    assert net.features(x).shape == (2, 512, 4, 4)
    assert torch.equal(net(x), literal(net, x))


@torch.no_grad()
@pytest.mark.parametrize("size", [28, 64])
def test_the_listing_fails_on_other_sizes_and_this_does_not(net, size):
    x = images(size)
    assert net(x).shape == (2, 10)
    with pytest.raises(RuntimeError):
        literal(net, x)
    if size == 64:
        assert nn.MaxPool2d(4)(net.features(x)).flatten(1).shape[1] == 2048


@torch.no_grad()
def test_the_listing_drops_the_border_at_40_pixels(net):
    x = images(40)
    kept = net.features(x)[:, :, :4, :4].amax(dim=(2, 3))
    torch.testing.assert_close(literal(net, x), net.classifier(kept))
    assert not torch.allclose(net(x), literal(net, x))


def test_the_gradient_reaches_the_first_convolution(net):
    net(images(8)).sum().backward()
    assert float(net.conv1[0].weight.grad.abs().max()) > 0


def test_images_below_8_pixels_are_refused(net):
    with pytest.raises(InputError, match="8 x 8 or more"):
        net(images(7))
