import warnings

import pytest
import torch

from corollary.data.graphs import cycle_graph, erdos_renyi, path_graph
from corollary.errors import InputError
from corollary.models.gat import GAT, GATConv, arcs_with_loops
from corollary.theory.geometry.normalised_adjacency import gcn_norm


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


@pytest.fixture
def g(rng):
    return erdos_renyi(15, 0.2, rng=rng)


@pytest.fixture
def x(rng):
    return torch.randn(15, 4, generator=rng, dtype=torch.float64)


def dense(q, graph):
    """The matrix of attention of one head."""
    i, j = arcs_with_loops(graph)
    Q = torch.zeros(graph.M, graph.M, dtype=q.dtype)
    Q[i, j] = q
    return Q


@pytest.mark.parametrize("concat", [True, False])
def test_the_layer_is_that_of_torch_geometric(g, x, rng, concat):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nn = pytest.importorskip("torch_geometric.nn")
    mine = GATConv(4, 5, heads=3, edge_dim=2, concat=concat, rng=rng)
    theirs = nn.GATConv(4, 5, heads=3, edge_dim=2, concat=concat, fill_value=0.0).double()
    e = torch.randn(len(g.edges), 2, generator=rng, dtype=torch.float64)
    with torch.no_grad():  # theirs projects edges to k numbers before the inner product
        theirs.lin.weight.copy_(mine.V.reshape(15, 4))
        theirs.att_dst.copy_(mine.u[None, :, :5])
        theirs.att_src.copy_(mine.u[None, :, 5:10])
        theirs.att_edge.copy_(torch.eye(1, 5)[None].expand(1, 3, 5))
        theirs.lin_edge.weight.zero_()
        theirs.lin_edge.weight[::5] = mine.u[:, 10:]
    pairs = torch.cat([g.edges, g.edges.flip(1)]).flip(1).T  # (neighbour, node)
    assert torch.allclose(mine(x, g, e), theirs(x, pairs, torch.cat([e, e])))


def test_rows_of_attention_sum_to_one_over_neighbours_and_are_zero_elsewhere(g, x, rng):
    layer = GATConv(4, 3, heads=2, rng=rng)
    q = layer.attention(x, g)
    for head in range(2):
        Q = dense(q[:, head], g)
        assert torch.allclose(Q.sum(1), torch.ones(15).double())
        near = g.dense() + torch.eye(15).double() > 0
        assert bool((Q[~near] == 0).all()) and bool((Q[near] > 0).all())


def test_the_weights_are_the_formula(g, x, rng):
    layer = GATConv(4, 3, rng=rng)
    Q, V, u = dense(layer.attention(x, g)[:, 0], g), layer.V[0], layer.u[0]
    for i in range(15):
        near = [j for j in range(15) if j == i or g.dense()[i, j]]
        scores = torch.stack([u @ torch.cat([V @ x[i], V @ x[j]]) for j in near])
        want = torch.softmax(torch.nn.functional.leaky_relu(scores, 0.2), dim=0)
        assert torch.allclose(Q[i, near], want)


def test_without_u_it_takes_the_mean_of_the_neighbourhood(g, x, rng):
    layer = GATConv(4, 3, rng=rng)
    torch.nn.init.zeros_(layer.u)
    near = g.dense() + torch.eye(15).double()
    assert torch.allclose(layer(x, g), near @ (x @ layer.V[0].T) / near.sum(1, keepdim=True))


def test_the_weights_of_a_gcn_are_fixed_and_not_equal():
    """The notes: 'fixed equal weights'. On a path they are 1/sqrt(d_i d_j)."""
    A = gcn_norm(path_graph(3)).to_dense()
    assert A[0, 0] == pytest.approx(1 / 2) and A[0, 1] == pytest.approx(1 / 6**0.5)


def test_over_all_nodes_the_layer_would_not_see_the_graph(x, rng):
    """The notes give no index set: a softmax over all nodes has the same value on every graph."""
    layer = GATConv(4, 3, rng=rng)
    z = x @ layer.V[0].T
    scores = (z @ layer.u[0, :3])[:, None] + (z @ layer.u[0, 3:])[None]
    everywhere = torch.softmax(torch.nn.functional.leaky_relu(scores, 0.2), dim=1) @ z
    cycle, path = layer(x, cycle_graph(15)), layer(x, path_graph(15))
    assert not torch.allclose(cycle, path)  # over neighbours the two graphs differ
    assert not torch.allclose(everywhere, cycle) and not torch.allclose(everywhere, path)


def test_features_of_edges_matter_and_are_asked_for(g, x, rng):
    layer = GATConv(4, 3, edge_dim=2, rng=rng)
    e = torch.randn(len(g.edges), 2, generator=rng, dtype=torch.float64)
    assert not torch.allclose(layer(x, g, e), layer(x, g, torch.zeros_like(e)))
    with pytest.raises(InputError, match="graph.edges"):
        layer(x, g)
    with pytest.raises(InputError, match="edge_dim="):
        GATConv(4, 3, rng=rng)(x, g, e)


def test_large_scores_do_not_overflow_and_gradients_are_right(rng):
    g = path_graph(4)
    layer = GATConv(2, 2, heads=2, rng=rng)
    x = torch.randn(4, 2, generator=rng, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda x, u: _with(layer, u)(x, g), (x, layer.u.clone()))
    with torch.no_grad():
        layer.u *= 1e5
        assert bool(layer(x, g).isfinite().all())


def _with(layer, u):
    return lambda x, g: torch.func.functional_call(layer, {"u": u}, (x, g))


def test_two_layers_classify(g, x, rng):
    assert GAT(4, 3, 2, heads=2, rng=rng)(x, g).shape == (15, 2)
