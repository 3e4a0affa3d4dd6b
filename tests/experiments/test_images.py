import torch

from corollary.experiments.images._images import standardised
from corollary.experiments.images.photographs import deep_net
from corollary.experiments.images.point_sets import clouds


def test_clouds_lie_on_bright_pixels():
    image = torch.zeros(1, 28, 28)
    image[0, 10, 4] = image[0, 10, 8] = 1.0
    cloud = clouds(image, 64, torch.Generator().manual_seed(0))[0]
    assert len(cloud[:, 0].unique()) == 2  # two pixels side by side
    assert float(cloud[:, 1:].abs().max()) == 0.0
    assert float(cloud.norm(dim=1).max()) == 1.0


def test_only_the_training_set_decides_how_images_are_scaled():
    train, test = (torch.randn(50, 2, 4, 4) * 3 + 1, None), (torch.full((5, 2, 4, 4), 7.0), None)
    (x, _), (x_test, _) = standardised(train, test)
    torch.testing.assert_close(x.mean((0, 2, 3)), torch.zeros(2), atol=1e-5, rtol=0)
    torch.testing.assert_close(x.std((0, 2, 3)), torch.ones(2))
    assert float(x_test.min()) > 1  # not moved to zero


def test_plain_and_residual_nets_have_the_same_layers():
    def convolutions(net):
        return [m for m in net.modules() if isinstance(m, torch.nn.Conv2d) and m.kernel_size[0] > 1]

    nets = [deep_net(2, torch.Generator().manual_seed(0), residual=r) for r in (True, False)]
    shapes = [[m.weight.shape for m in convolutions(net)] for net in nets]
    assert shapes[0] == shapes[1] and len(shapes[0]) == 6 * 2 + 1
    assert nets[0](torch.zeros(2, 3, 16, 16)).shape == (2, 10)
