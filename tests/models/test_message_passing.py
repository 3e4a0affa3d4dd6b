import pytest
import torch
from torch import nn

from corollary.data.graphs import complete_bipartite_graph, erdos_renyi, path_graph
from corollary.errors import InputError
from corollary.models.message_passing import MessagePassing, aggregate
from corollary.models.mlp import MLP
from corollary.theory.geometry.graph import Graph


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


@pytest.mark.parametrize("how", ["sum", "mean", "max"])
def test_neighbours_are_put_together_node_by_node(how, rng):
    g = erdos_renyi(12, 0.2, rng=rng)
    z = torch.randn(12, 3, generator=rng, dtype=torch.float64)
    mine, A = aggregate(z, g, how), g.dense() > 0
    for m in range(12):
        near = z[A[m]]
        if len(near) == 0:
            assert mine[m].tolist() == [0.0] * 3
        else:
            known = {"sum": near.sum(0), "mean": near.mean(0), "max": near.amax(0)}[how]
            assert torch.allclose(mine[m], known)


@pytest.mark.parametrize("how", ["sum", "mean", "max"])
def test_k_layers_see_exactly_the_ball_of_k_hops(how, rng):
    g = path_graph(9).union(Graph.of_edges(1, []))
    layers = [
        MessagePassing(MLP([2, 4], rng=rng), MLP([6, 2], "tanh", rng=rng), how) for _ in range(3)
    ]
    x = torch.randn(10, 2, generator=rng, dtype=torch.float64)
    distances = g.distances()
    for k in range(4):

        def f(x, k=k):
            for layer in layers[:k]:
                x = layer(x, g)
            return x

        J = torch.autograd.functional.jacobian(f, x).abs().sum(dim=(1, 3))
        if how == "max":  # a neighbour that is never the largest is not heard
            assert bool((J[distances > k] == 0).all())
        else:
            assert torch.equal(J > 0, distances <= k)


def test_messages_and_updates_are_applied(rng):
    psi, phi = MLP([2, 5, 4], rng=rng), MLP([6, 3], rng=rng)
    g = complete_bipartite_graph(1, 3)
    x = torch.randn(4, 2, generator=rng, dtype=torch.float64)
    out = MessagePassing(psi, phi)(x, g)
    assert torch.allclose(out[0], phi(torch.cat([x[0], psi(x[1:]).sum(0)])))
    assert torch.allclose(out[2], phi(torch.cat([x[2], psi(x[0])])))


def test_isomorphic_graphs_get_the_same_features_up_to_labels(rng):
    g = erdos_renyi(10, 0.3, rng=rng)
    layer = MessagePassing(nn.Identity(), MLP([4, 3], rng=rng), "sum")
    x, perm = torch.ones(10, 2, dtype=torch.float64), torch.randperm(10, generator=rng)
    assert torch.allclose(layer(x, g.relabel(perm)), layer(x, g)[perm])


def test_features_of_another_graph_are_refused(rng):
    with pytest.raises(InputError, match="4 nodes"):
        aggregate(torch.zeros(3, 2), path_graph(4))
