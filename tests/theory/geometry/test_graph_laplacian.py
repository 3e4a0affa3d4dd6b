import networkx as nx
import numpy as np
import pytest
import torch
from scipy.sparse import csgraph

from corollary.data.graphs import complete_bipartite_graph, cycle_graph, erdos_renyi, path_graph
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_laplacian import laplacian, quadratic_form


@pytest.fixture(params=range(4))
def g(request):
    return erdos_renyi(25, 0.1, rng=torch.Generator().manual_seed(request.param))


@pytest.mark.parametrize("normalized", [False, True])
def test_it_is_that_of_scipy_and_networkx(g, normalized):
    mine = laplacian(g, normalized=normalized).to_dense().numpy()
    assert np.allclose(mine, csgraph.laplacian(g.dense().numpy(), normed=normalized))
    graph = nx.empty_graph(g.M)
    graph.add_edges_from(g.edges.tolist())
    theirs = nx.normalized_laplacian_matrix if normalized else nx.laplacian_matrix
    assert np.allclose(mine, theirs(graph).toarray())


def test_the_quadratic_form_adds_squares_over_edges(g):
    x = torch.randn(25, 3, generator=torch.Generator().manual_seed(9), dtype=torch.float64)
    form = (x * (laplacian(g) @ x)).sum(0)
    assert torch.allclose(form, quadratic_form(g, x))
    assert float(torch.linalg.eigvalsh(laplacian(g).to_dense()).min()) > -1e-10


def test_rows_sum_to_zero_and_with_loops_in_the_degrees_to_one(g):
    one = torch.ones(25, 1, dtype=torch.float64)
    assert float((laplacian(g) @ one).abs().max()) == 0
    with_loops = torch.diag(1.0 + g.degrees).double() - g.dense()  # the D of the notes' GCN
    assert torch.equal(with_loops @ one, one)


def test_zeros_count_components(g):
    zeros = int((torch.linalg.eigvalsh(laplacian(g).to_dense()) < 1e-9).sum())
    assert zeros == int(g.components().max()) + 1


def test_the_normalised_spectrum_lies_in_0_2_and_bipartite_graphs_reach_2(g):
    values = torch.linalg.eigvalsh(laplacian(g, normalized=True).to_dense())
    assert -1e-10 < float(values.min()) and float(values.max()) < 2 + 1e-10
    for bipartite in (path_graph(7), cycle_graph(6), complete_bipartite_graph(2, 5)):
        top = torch.linalg.eigvalsh(laplacian(bipartite, normalized=True).to_dense()).max()
        assert float(top) == pytest.approx(2.0)
    odd = torch.linalg.eigvalsh(laplacian(cycle_graph(5), normalized=True).to_dense()).max()
    assert float(odd) < 1.9


def test_isolated_nodes_have_rows_of_zeros():
    L = laplacian(Graph.of_edges(3, [(0, 1)]), normalized=True).to_dense()
    assert L.tolist() == [[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
