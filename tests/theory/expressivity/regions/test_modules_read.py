"""Which modules the reader of linear regions follows, and which it refuses."""

import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import NotApplicableError
from corollary.theory.expressivity.regions.plane import linear_regions

BACKENDS = ("numba", "torch")


class Residual(nn.Module):
    """A convolutional network with all that is allowed."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 3, 3, padding=1)
        self.norm = nn.BatchNorm2d(3)
        self.inner = nn.Conv2d(3, 3, 3, padding=1)
        self.leaky = nn.LeakyReLU(0.1)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear(12, 3)

    def forward(self, x):
        y = torch.relu(self.norm(self.stem(x)))
        y = y + self.leaky(self.inner(y))
        y = self.pool(y)
        return self.head(y.view(y.size(0), -1))


def residual(seed=0) -> Residual:
    torch.manual_seed(seed)
    net = Residual()
    net.norm.running_mean.normal_()
    net.norm.running_var.uniform_(0.5, 2.0)
    return net.eval()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_residual_convolutional_network_is_affine_on_its_polygons(check_mosaic, backend):
    rng = generator(0, "slice")
    basis = torch.randn(2, 1, 4, 4, generator=rng, dtype=torch.float64)
    origin = torch.randn(1, 4, 4, generator=rng, dtype=torch.float64)
    with torch.random.fork_rng():
        net = residual()
    before = {k: v.clone() for k, v in net.state_dict().items()}
    mosaic = linear_regions(net, 1.0, origin=origin, basis=basis, backend=backend)
    assert mosaic.count > 50
    check_mosaic(mosaic, net.double())
    pattern = mosaic.patterns()
    assert len(torch.unique(pattern, dim=0)) == mosaic.count  # pools are merged to their winners
    assert all(torch.equal(v.double(), net.state_dict()[k].double()) for k, v in before.items())


class Functions(nn.Module):
    """The same layers as functions and operators."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([[1.0, 2.0], [-1.0, 1.0]], dtype=torch.float64))

    def forward(self, x):
        z = x @ self.w.T / 2 - 0.25
        y = torch.nn.functional.relu(z) - 2 * torch.nn.functional.leaky_relu(-z, 0.2)
        return torch.maximum(y[:, 0], y[:, 1]) + y.abs().sum(dim=1) + y.clamp(min=-0.1).mean(dim=1)


def test_functions_and_operators_are_read_too(check_mosaic):
    mosaic = linear_regions(Functions())
    assert mosaic.count > 4
    check_mosaic(mosaic, Functions())


class InPlace(nn.Module):
    """A residual block as it is often written, with pools and concatenation as functions."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(2, 6), nn.Linear(6, 6)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        skip = self.act(self.first(x))
        out = self.second(skip)
        out += skip
        out = self.act(out)
        pooled = torch.nn.functional.max_pool1d(out.unsqueeze(1), 3, stride=3).flatten(1)
        return torch.cat([out, pooled], dim=1)


@pytest.mark.parametrize("backend", BACKENDS)
def test_layers_that_work_in_place_are_followed(check_mosaic, backend):
    net, rng = InPlace().double(), generator(5, "in place")
    with torch.no_grad():
        for p in net.parameters():
            p.normal_(generator=rng)
    mosaic = linear_regions(net, 1.5, backend=backend)
    assert mosaic.count > 20
    check_mosaic(mosaic, net, area=9.0)


def test_an_unsupported_layer_is_named_by_its_path():
    net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Tanh()))
    with pytest.raises(NotApplicableError, match=r"'1\.1' is a Tanh; replace it"):
        linear_regions(net)
    with pytest.raises(NotApplicableError, match="LayerNorm"):
        linear_regions(nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2)))
    with pytest.raises(NotApplicableError, match="without running statistics"):
        linear_regions(nn.Sequential(nn.BatchNorm1d(2, track_running_stats=False)))


class Square(nn.Module):
    def forward(self, x):
        return x * x


class Branch(nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x


def test_products_and_branches_on_the_input_are_refused():
    with pytest.raises(NotApplicableError, match="two arguments that depend"):
        linear_regions(Square())
    with pytest.raises(NotApplicableError, match="cannot be traced"):
        linear_regions(Branch())
