import warnings

import networkx as nx
import pytest
import torch

from corollary.data.graphs import (
    binary_tree,
    complete_bipartite_graph,
    cycle_graph,
    erdos_renyi,
    path_graph,
)
from corollary.errors import InputError
from corollary.theory.geometry.colour_refinement import wl_equivalent, wl_histograms, wl_refine
from corollary.theory.geometry.graph import Graph


def as_networkx(graph: Graph) -> nx.Graph:
    out = nx.empty_graph(graph.M)
    out.add_edges_from(graph.edges.tolist())
    return out


@pytest.mark.parametrize("seed", range(5))
def test_relabelled_graphs_are_always_equivalent(seed):
    rng = torch.Generator().manual_seed(seed)
    g = erdos_renyi(20, 0.2, rng=rng)
    perm = torch.randperm(20, generator=rng)
    assert wl_equivalent(g, g.relabel(perm))
    mine = wl_refine(g.relabel(perm))
    moved = wl_refine(g)[perm]  # the same partition, perhaps with other names
    assert len(set(zip(mine.tolist(), moved.tolist(), strict=True))) == len(set(mine.tolist()))


def test_six_in_a_ring_and_two_triangles_are_equivalent_and_not_isomorphic():
    ring, triangles = cycle_graph(6), cycle_graph(3).union(cycle_graph(3))
    assert wl_equivalent(ring, triangles)
    assert wl_histograms(ring, triangles) == ([6], [6])
    assert not nx.is_isomorphic(as_networkx(ring), as_networkx(triangles))
    assert (ring.is_connected, triangles.is_connected) == (True, False)


@pytest.mark.parametrize("seed", range(8))
def test_it_agrees_with_the_hash_of_networkx(seed):
    rng = torch.Generator().manual_seed(seed)
    g, h = erdos_renyi(8, 0.3, rng=rng), erdos_renyi(8, 0.3, rng=rng)

    def fingerprint(graph):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the hashes of another version are not compared
            return nx.weisfeiler_lehman_graph_hash(as_networkx(graph), iterations=graph.M)

    assert wl_equivalent(g, h) == (fingerprint(g) == fingerprint(h))


def test_different_graphs_are_told_apart():
    assert not wl_equivalent(path_graph(4), complete_bipartite_graph(1, 3))
    assert not wl_equivalent(path_graph(4), path_graph(5))


def test_colours_of_a_tree_are_the_depths():
    assert wl_refine(binary_tree(2)).tolist() == [0, 1, 1, 2, 2, 2, 2]


def test_the_partition_is_stable_and_the_coarsest():
    """Nodes of one colour have equally many neighbours of each colour."""
    g = erdos_renyi(15, 0.25, rng=torch.Generator().manual_seed(3))
    c = wl_refine(g)
    counts = g.dense() @ torch.nn.functional.one_hot(c).double()
    for colour in c.unique():
        rows = counts[c == colour]
        assert bool((rows == rows[0]).all())
    assert wl_refine(cycle_graph(7)).tolist() == [0] * 7


def test_colours_to_start_from_are_kept_apart():
    start = torch.tensor([0, 0, 0, 1, 1, 1])
    assert not torch.equal(wl_refine(cycle_graph(6), start), wl_refine(cycle_graph(6)))
    assert wl_refine(cycle_graph(6), start, rounds=0).tolist() == start.tolist()
    with pytest.raises(InputError):
        wl_refine(cycle_graph(6), start[:3])


def test_a_large_graph_is_refined_without_a_loop_over_edges():
    g = erdos_renyi(20_000, 5e-4, rng=torch.Generator().manual_seed(0))
    assert len(g.edges) > 90_000
    assert int(wl_refine(g).max()) > 19_000  # nearly every node of a random graph is unique
