import pytest
import torch

from corollary.data.graphs import (
    complete_bipartite_graph,
    complete_graph,
    cycle_graph,
    erdos_renyi,
    path_graph,
)
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.normalised_adjacency import (
    gcn_norm,
    lowest_coupling,
    steady_direction,
)


@pytest.mark.parametrize("seed", range(5))
def test_the_norm_is_one_and_the_root_of_the_degrees_is_kept(seed):
    g = erdos_renyi(40, 0.1, rng=torch.Generator().manual_seed(seed))
    A, u = gcn_norm(g).to_dense(), steady_direction(g)
    values = torch.linalg.eigvalsh(A)
    assert float(values.abs().max()) == pytest.approx(1.0, abs=1e-12)
    assert float(values.min()) >= lowest_coupling(g) - 1e-12 > -1
    assert torch.allclose(A @ u, u)
    assert torch.equal(A, A.T)


@pytest.mark.parametrize("r", [1, 2, 5])
def test_the_lower_bound_is_attained_by_complete_bipartite_graphs(r):
    g = complete_bipartite_graph(r, r)
    lowest = float(torch.linalg.eigvalsh(gcn_norm(g).to_dense()).min())
    assert lowest == pytest.approx(lowest_coupling(g)) == pytest.approx((1 - r) / (1 + r))


def test_without_loops_a_bipartite_graph_reaches_minus_one():
    g = cycle_graph(6)
    assert float(torch.linalg.eigvalsh(g.dense() / 2).min()) == pytest.approx(-1.0)
    assert float(torch.linalg.eigvalsh(gcn_norm(g).to_dense()).min()) > -0.4


def test_the_definition_entry_by_entry():
    g = path_graph(3)
    A = g.dense() + torch.eye(3).double()
    d = A.sum(1)
    assert torch.allclose(gcn_norm(g).to_dense(), A / (d[:, None] * d).sqrt())
    assert torch.allclose(gcn_norm(complete_graph(4)).to_dense(), torch.full((4, 4), 0.25).double())


def test_an_isolated_node_keeps_itself():
    A = gcn_norm(Graph.of_edges(3, [(0, 1)])).to_dense()
    assert A[2].tolist() == [0.0, 0.0, 1.0]
    assert torch.equal(gcn_norm(Graph.of_edges(2, [])).to_dense(), torch.eye(2).double())
