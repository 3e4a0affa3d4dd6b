import networkx as nx
import pytest
import torch

from corollary.data.graphs import barbell_graph, cycle_graph, erdos_renyi, path_graph
from corollary.errors import InputError
from corollary.theory.geometry.graph import Graph
from corollary.theory.networks.permutations import permutation_matrix


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


def as_networkx(graph: Graph) -> nx.Graph:
    out = nx.empty_graph(graph.M)
    out.add_edges_from(graph.edges.tolist())
    return out


def test_the_adjacency_matrix_is_symmetric_and_degrees_add_up_to_twice_the_edges(rng):
    g = erdos_renyi(40, 0.2, rng=rng)
    A = g.dense()
    assert torch.equal(A, A.T) and bool((A.diagonal() == 0).all())
    assert int(g.degrees.sum()) == 2 * len(g.edges) == int(A.sum())


def test_relabelling_is_conjugation_and_composes(rng):
    g = erdos_renyi(9, 0.4, rng=rng)
    p, q = torch.randperm(9, generator=rng), torch.randperm(9, generator=rng)
    P = permutation_matrix(p)
    assert torch.equal(g.relabel(p).dense(), P @ g.dense() @ P.T)
    assert torch.equal(g.relabel(p).relabel(q).edges, g.relabel(p[q]).edges)


def test_an_edge_given_twice_in_any_order_is_one_edge():
    assert Graph.of_edges(3, [(1, 0), (0, 1), (2, 1)]).edges.tolist() == [[0, 1], [1, 2]]


def test_a_directed_matrix_is_refused_unless_symmetrising_is_asked_for():
    A = torch.tensor([[0, 1], [0, 0]])
    with pytest.raises(InputError, match="symmetrise=True"):
        Graph.of_adjacency(A)
    assert Graph.of_adjacency(A, symmetrise=True).edges.tolist() == [[0, 1]]


def test_a_sparse_matrix_and_its_graph_go_back_and_forth(rng):
    g = erdos_renyi(30, 0.1, rng=rng)
    assert torch.equal(Graph.of_adjacency(g.adjacency()).edges, g.edges)


@pytest.mark.parametrize("edges", [[(0, 0)], [(0, 5)], [(-1, 0)]])
def test_loops_and_nodes_that_are_not_there_are_refused(edges):
    with pytest.raises(InputError):
        Graph.of_edges(3, edges)


def test_entries_other_than_0_and_1_are_refused():
    with pytest.raises(InputError, match="0 and 1"):
        Graph.of_adjacency(torch.tensor([[0.0, 0.5], [0.5, 0.0]]))


def test_distances_components_and_diameter_are_those_of_networkx(rng):
    g = erdos_renyi(30, 0.08, rng=rng)
    theirs = as_networkx(g)
    mine = g.distances()
    for source, row in nx.all_pairs_shortest_path_length(theirs):
        assert all(mine[source, target] == hops for target, hops in row.items())
        assert int(torch.isfinite(mine[source]).sum()) == len(row)
    assert int(g.components().max()) + 1 == nx.number_connected_components(theirs)
    assert barbell_graph(4, 3).diameter == nx.diameter(nx.barbell_graph(4, 3))
    assert not path_graph(3).union(path_graph(2)).is_connected


def test_a_union_has_the_block_diagonal_matrix():
    g = cycle_graph(3).union(path_graph(2))
    blocks = torch.block_diag(cycle_graph(3).dense(), path_graph(2).dense())
    assert torch.equal(g.dense(), blocks)


def test_a_graph_of_a_hundred_thousand_edges_multiplies_as_scipy_does(rng):
    """20,000 nodes: a dense matrix would take 3.2 GB."""
    from scipy.sparse import coo_matrix

    pairs = torch.randint(20_000, (100_000, 2), generator=rng)
    g = Graph.of_edges(20_000, pairs[pairs[:, 0] != pairs[:, 1]])
    x = torch.randn(20_000, 4, generator=rng, dtype=torch.float64)
    i, j = g.arcs.numpy()
    theirs = coo_matrix(([1.0] * len(i), (i, j)), shape=(20_000, 20_000)) @ x.numpy()
    assert torch.allclose(g.adjacency() @ x, torch.from_numpy(theirs))
