"""Graph networks: one graph for all inputs, one for each, and kernels between nodes."""

import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.kernels.infinite import (
    Aggregate,
    Conv,
    Dense,
    Flatten,
    GlobalAvgPool,
    Relu,
    graph_inputs,
    network,
    node_kernels,
    sampled_kernels,
)

EDGES = torch.tensor([[0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]]).double()


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=generator(seed, "graphs", *shape), dtype=torch.float64)


def normalized(edges):
    """Kipf and Welling's matrix: self-loops, divided by the roots of the degrees."""
    loops = edges + torch.eye(len(edges), dtype=edges.dtype)
    root = loops.sum(1).rsqrt()
    return root[:, None] * loops * root


GRAPH = normalized(EDGES)


def pooled(layer):
    return network(
        Dense(1.2, 0.3),
        layer,
        Relu(),
        Dense(1.2, 0.3),
        layer,
        Relu(),
        GlobalAvgPool(),
        Dense(1.2, 0.3),
        channels="last",
    )


class GraphNetwork(nn.Module):
    def __init__(self, m):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(3, m), nn.Linear(m, m), nn.Linear(m, 2)

    def forward(self, x):
        h = torch.relu(GRAPH @ self.a(x))
        return self.c(torch.relu(GRAPH @ self.b(h)).mean(1))


def test_sampled_graph_networks_have_the_kernels():
    m, x = 80, draw(3, 4, 3)

    def make(rng):
        net = GraphNetwork(m).double()
        with torch.no_grad():
            for layer in net.children():
                layer.weight.normal_(generator=rng).mul_(1.2 / layer.in_features**0.5)
                layer.bias.normal_(generator=rng).mul_(0.3)
        return net

    def dense(fan_in):
        return Dense(1.2, 0.3, "standard", fan_in)

    mix = Aggregate(GRAPH)
    limit = network(
        dense(3), mix, Relu(), dense(m), mix, Relu(), GlobalAvgPool(), dense(m), channels="last"
    ).kernel(x)
    found = sampled_kernels(make, x, draws=60, rng=generator(0, "graphs"))
    assert ((found.nngp - limit.nngp).abs() < 5 * found.nngp_error).all()
    assert ((found.ntk - limit.ntk).abs() < 5 * found.ntk_error).all()
    assert (found.ntk_error < 0.1 * limit.ntk).all()


def test_equal_graphs_with_the_inputs_are_one_graph_for_all():
    x, y = draw(3, 4, 2), draw(2, 4, 2, seed=1)
    a, b = (graph_inputs(t, GRAPH.expand(len(t), 4, 4)) for t in (x, y))
    shared, own = pooled(Aggregate(GRAPH)).kernel(x, y), pooled(Aggregate()).kernel(a, b)
    assert torch.allclose(shared.nngp, own.nngp, rtol=1e-13)
    assert torch.allclose(shared.ntk, own.ntk, rtol=1e-13)


def test_different_graphs_pass_through_blocks_diagonal_and_operator():
    graphs = torch.stack([normalized(EDGES.roll((k, k), (0, 1))) for k in range(4)])
    x, net = graph_inputs(draw(4, 4, 2), graphs), pooled(Aggregate())
    k, whole = net.kernel(x, memory=3000), net.kernel(x, x)
    assert torch.allclose(k.ntk, whole.ntk, rtol=1e-13)
    assert torch.allclose(net.diagonal(x).ntk, whole.ntk.diagonal(), rtol=1e-13)
    ones = torch.ones(4, dtype=torch.float64)
    assert torch.allclose(net.operator(x) @ ones, whole.ntk.sum(1), rtol=1e-13)


def test_nodes_have_new_names_without_new_kernels():
    """Pooling makes the kernel of graphs invariant under a permutation of the nodes of one."""
    x, order = draw(2, 4, 2), torch.tensor([2, 0, 3, 1])
    y = graph_inputs(x[:, order], GRAPH[order][:, order].expand(2, 4, 4))
    x = graph_inputs(x, GRAPH.expand(2, 4, 4))
    net = pooled(Aggregate())
    assert torch.allclose(net.kernel(x, y).ntk, net.kernel(x).ntk, rtol=1e-12)


def test_without_edges_but_loops_nodes_are_inputs_of_a_plain_network():
    x = draw(5, 3)
    layers = Dense(1.2, 0.3), Relu(), Dense(1.1, 0.2)
    loops = Aggregate(torch.eye(5, dtype=torch.float64))
    between = node_kernels(network(layers[0], loops, *layers[1:], channels="last"), x)
    plain = network(*layers).kernel(x)
    assert torch.allclose(between.nngp, plain.nngp, rtol=1e-12)
    assert torch.allclose(between.ntk, plain.ntk, rtol=1e-12)


def test_the_mean_over_pairs_of_nodes_is_the_kernel_of_the_pooled_graph():
    x = draw(4, 3)
    mix, layers = Aggregate(GRAPH), (Dense(1.2, 0.3), Relu(), Dense(1.1, 0.2))
    between = node_kernels(network(layers[0], mix, *layers[1:], channels="last"), x)
    pooled = network(layers[0], mix, *layers[1:], GlobalAvgPool(), channels="last").kernel(x[None])
    assert pooled.nngp.item() == pytest.approx(between.nngp.mean().item(), rel=1e-12)
    assert pooled.ntk.item() == pytest.approx(between.ntk.mean().item(), rel=1e-12)


def test_derivatives_in_the_graph_are_those_of_differences():
    x, net = draw(2, 4, 3), pooled
    graph = GRAPH.clone().requires_grad_()
    value = net(Aggregate(graph)).kernel(x).ntk.sum()
    (slope,) = torch.autograd.grad(value, graph)
    step = torch.zeros_like(GRAPH)
    step[0, 1] = 1e-6
    up, down = (net(Aggregate(GRAPH + s * step)).kernel(x).ntk.sum() for s in (1, -1))
    assert slope[0, 1].item() == pytest.approx((up - down).item() / 2e-6, rel=1e-6)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Aggregate(GRAPH[None]), "graph_inputs"),
        (lambda: pooled(Aggregate(GRAPH)).kernel(draw(2, 5, 3)), "4 nodes, got 5"),
        (lambda: pooled(Aggregate()).kernel(draw(2, 4, 3)), "graph_inputs"),
        (lambda: network(Dense(), Aggregate(), Flatten()).kernel(draw(2, 4, 9)), "channels='last'"),
        (lambda: network(Conv(), Aggregate(GRAPH)).kernel(draw(2, 1, 4, 4)), "one axis of nodes"),
        (lambda: graph_inputs(draw(2, 4, 3), GRAPH[None]), r"shape \(2, 4, 4\)"),
        (lambda: node_kernels(pooled(Aggregate(GRAPH)), draw(4, 3)), "keeps its nodes"),
    ],
)
def test_wrong_graphs_say_what_is_needed(make, words):
    with pytest.raises(InputError, match=words):
        make()
