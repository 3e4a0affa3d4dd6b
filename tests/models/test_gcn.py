import warnings

import pytest
import torch

from corollary.data.graphs import block_model, erdos_renyi
from corollary.data.karate_club import karate_club
from corollary.errors import InputError
from corollary.models.gcn import GCN, GCNConv
from corollary.models.mlp import MLP
from corollary.theory.geometry.graph import Graph


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


@pytest.fixture
def g(rng):
    return erdos_renyi(15, 0.2, rng=rng)


@pytest.fixture
def x(rng):
    return torch.randn(15, 4, generator=rng, dtype=torch.float64)


def torch_geometric_nn():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("torch_geometric.nn")


def test_the_layer_is_that_of_torch_geometric(g, x, rng):
    nn = torch_geometric_nn()
    for k in (2, 7):  # narrower and wider than the input
        mine, theirs = GCNConv(4, k, rng=rng), nn.GCNConv(4, k).double()
        with torch.no_grad():
            theirs.lin.weight.copy_(mine.W.T)
            theirs.bias.copy_(torch.randn(k, generator=rng))
            mine.b.copy_(theirs.bias)
        assert torch.allclose(mine(x, g), theirs(x, g.arcs))


def test_two_layers_are_the_formula(g, x, rng):
    net = GCN([4, 8, 3], bias=False, rng=rng)
    A = g.dense() + torch.eye(15).double()
    d = A.sum(1)
    A = A / (d[:, None] * d).sqrt()
    W0, W1 = (layer.W for layer in net.layers)
    want = torch.softmax(A @ torch.relu(A @ x @ W0) @ W1, dim=1)
    assert torch.allclose(net.probabilities(x, g), want)


def test_without_edges_it_is_a_perceptron(x, rng):
    net, mlp = GCN([4, 8, 3], rng=rng), MLP([4, 8, 3], rng=rng)
    with torch.no_grad():
        for mine, theirs in zip(net.layers, mlp.layers, strict=True):
            theirs.affine.W.copy_(mine.W.T)
    assert torch.allclose(net(x, Graph.of_edges(15, [])), mlp(x))


def test_gradients_pass_the_sparse_product_twice(g, x, rng):
    layer = GCNConv(4, 2, rng=rng)
    x = x.requires_grad_()
    assert torch.autograd.gradcheck(lambda x: layer(x, g), x)
    assert torch.autograd.gradgradcheck(lambda x: torch.tanh(layer(x, g)), x)


def test_single_precision_stays_single(rng):
    net = GCN([2, 3, 2], rng=rng, dtype=torch.float32)
    g, _ = karate_club()
    assert net(torch.ones(34, 2), g).dtype == torch.float32


def test_a_graph_of_a_hundred_thousand_edges_is_trained_on(rng):
    g, y = block_model([10_000, 10_000], 8e-4, 2e-4, rng=rng)
    assert len(g.edges) > 90_000
    net = GCN([16, 16, 2], rng=rng, dtype=torch.float32)
    x = torch.randn(20_000, 16, generator=rng)
    torch.nn.functional.cross_entropy(net(x, g), y).backward()
    assert all(p.grad is not None and bool(p.grad.isfinite().all()) for p in net.parameters())


def test_wrong_widths_are_refused(g, x, rng):
    with pytest.raises(InputError, match="expected 3"):
        GCNConv(3, 2, rng=rng)(x, g)
    with pytest.raises(InputError, match="15 nodes"):
        GCNConv(4, 2, rng=rng)(x[:10], g)
    with pytest.raises(InputError):
        GCN([3], rng=rng)
