import pytest
import torch
from torch import nn

from corollary.errors import NotApplicableError
from corollary.models.collapse import collapse_linear
from corollary.models.compose import Compose
from corollary.models.linear_autoencoder import LinearAutoencoder
from corollary.models.mlp import MLP, Dense, LinearLayer


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def networks() -> dict[str, nn.Module]:
    torch_layers = nn.Sequential(nn.Linear(5, 7), nn.Identity(), nn.Linear(7, 3)).double()
    nested = Compose(
        [nn.Sequential(LinearLayer(5, 4, rng=rng())), Dense(4, 6, "linear", rng=rng())]
    )
    return {
        "torch": torch_layers,
        "nested": nested,
        "mlp": MLP([5, 2, 8, 4], "linear", rng=rng()),
        "autoencoder": LinearAutoencoder(5, 2, rng=rng()),
        "one layer": nn.Linear(5, 2, bias=False).double(),
    }


@pytest.mark.parametrize("name", networks())
def test_the_collapsed_map_is_the_network(name):
    net = networks()[name]
    x = torch.randn(20, 5, generator=rng(), dtype=torch.float64)
    with torch.no_grad():
        torch.testing.assert_close(collapse_linear(net).apply(x), net(x), rtol=1e-10, atol=1e-10)


def test_the_rank_is_bounded_by_the_bottleneck():
    W, _ = collapse_linear(MLP([5, 2, 8, 4], "linear", rng=rng()))
    assert W.shape == (4, 5)
    assert torch.linalg.matrix_rank(W) == 2


@pytest.mark.parametrize(
    ("net", "named"),
    [
        (nn.Sequential(nn.Linear(2, 3), nn.ReLU()), "'1' is a module of type ReLU"),
        (MLP([2, 3, 1], "tanh", rng=rng()), "with the activation tanh"),
        (Compose([nn.Sequential(nn.Linear(2, 2), nn.Tanh())]), "'0.1' is a module of type Tanh"),
        (nn.Conv2d(1, 1, 3), "is a module of type Conv2d"),
    ],
)
def test_a_non_linear_network_is_refused_by_the_name_of_its_layer(net, named):
    with pytest.raises(NotApplicableError, match=named):
        collapse_linear(net)


def test_a_network_without_layers_has_no_matrix():
    with pytest.raises(NotApplicableError, match="no affine layer"):
        collapse_linear(nn.Identity())
