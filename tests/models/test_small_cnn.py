import pytest
import torch
from torch import nn

from corollary.data.textures import placed_patterns
from corollary.errors import InputError
from corollary.models.small_cnn import SmallCNN, matched_mlp
from corollary.train import fit


def test_circular_convolution_and_a_global_pool_are_invariant_and_an_mlp_is_not():
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(3, 2, 7, 7, generator=rng, dtype=torch.float64)
    for reduce in ("mean", "max"):
        how = {"pool": False, "padding_mode": "circular", "reduce": reduce}
        net = SmallCNN(2, 3, (4, 5), **how, rng=rng)
        torch.testing.assert_close(net(x.roll((2, 3), dims=(2, 3))), net(x))
    mlp = matched_mlp(net, 98, 3, rng=rng)
    assert not torch.allclose(mlp(x.roll(1, dims=3)), mlp(x))


def test_only_the_convolutional_network_knows_patterns_in_places_it_has_not_seen():
    rng = torch.Generator().manual_seed(0)
    x, y = placed_patterns(96, 12, where=(0, 3), noise=0.05, rng=rng)
    away = placed_patterns(300, 12, where=(4, 12), noise=0.05, rng=rng)
    cnn = SmallCNN(1, 3, (8, 8), pool=False, padding_mode="circular", rng=rng)
    right = []
    for net in (cnn, matched_mlp(cnn, 144, 3, rng=rng)):
        adam = torch.optim.Adam(net.parameters(), lr=0.02)
        fit(net, (x, y), nn.functional.cross_entropy, adam, steps=100)
        for images, labels in ((x, y), away):
            right.append(float((net(images).argmax(1) == labels).double().mean()))
    assert min(right[:3]) > 0.95, "both learn, and the CNN generalises"
    assert right[3] < 0.5


def test_one_output_gives_the_probability_of_class_1():
    rng = torch.Generator().manual_seed(0)
    net, x = SmallCNN(1, 1, (2,), rng=rng), torch.randn(4, 1, 5, 5, dtype=torch.float64)
    torch.testing.assert_close(net.probabilities(x), 1 / (1 + torch.exp(-net(x))))


def test_wrong_options_and_channels_are_refused():
    rng = torch.Generator().manual_seed(0)
    with pytest.raises(InputError, match="odd kernel"):
        SmallCNN(1, 2, kernel=2, rng=rng)
    with pytest.raises(InputError, match="expected 1 channels"):
        SmallCNN(1, 2, rng=rng)(torch.zeros(2, 3, 8, 8, dtype=torch.float64))
