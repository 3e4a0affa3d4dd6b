import networkx as nx
import pytest
import torch

from corollary.data.graphs import (
    barbell_graph,
    binary_tree,
    block_model,
    complete_bipartite_graph,
    complete_graph,
    cycle_graph,
    erdos_renyi,
    path_graph,
)
from corollary.data.karate_club import karate_club
from corollary.errors import InputError


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (cycle_graph(7), nx.cycle_graph(7)),
        (path_graph(5), nx.path_graph(5)),
        (path_graph(1), nx.path_graph(1)),
        (complete_graph(6), nx.complete_graph(6)),
        (complete_bipartite_graph(2, 4), nx.complete_bipartite_graph(2, 4)),
        (barbell_graph(4, 0), nx.barbell_graph(4, 0)),
        (barbell_graph(4, 3), nx.barbell_graph(4, 3)),
        (binary_tree(3), nx.balanced_tree(2, 3)),
        (karate_club()[0], nx.karate_club_graph()),
    ],
)
def test_they_are_those_of_networkx(mine, theirs):
    edges = {tuple(sorted(edge)) for edge in theirs.edges()}
    assert mine.M == theirs.number_of_nodes()
    assert {tuple(edge) for edge in mine.edges.tolist()} == edges


def test_the_sides_of_the_karate_club_are_those_of_networkx():
    sides = [d["club"] == "Officer" for _, d in nx.karate_club_graph().nodes(data=True)]
    assert karate_club()[1].tolist() == sides


def test_a_random_graph_has_each_edge_with_probability_p():
    rng = torch.Generator().manual_seed(0)
    total = sum(erdos_renyi(12, 0.3, rng=rng).dense() for _ in range(250)) / 250
    off = total[~torch.eye(12, dtype=torch.bool)]
    assert float((off - 0.3).abs().max()) < 5 * (0.3 * 0.7 / 250) ** 0.5
    g = erdos_renyi(3000, 0.01, rng=rng)
    mean = 3000 * 2999 / 2 * 0.01
    assert abs(len(g.edges) - mean) < 5 * (mean * 0.99) ** 0.5


def test_blocks_are_joined_with_their_own_probabilities():
    rng = torch.Generator().manual_seed(1)
    g, block = block_model([100, 150], 0.2, 0.05, rng=rng)
    same = block[g.edges[:, 0]] == block[g.edges[:, 1]]
    inside, across = 100 * 99 / 2 + 150 * 149 / 2, 100 * 150
    assert abs(int(same.sum()) / inside - 0.2) < 5 * (0.16 / inside) ** 0.5
    assert abs(int((~same).sum()) / across - 0.05) < 5 * (0.0475 / across) ** 0.5


def test_extreme_probabilities_and_bad_sizes():
    rng = torch.Generator().manual_seed(0)
    assert len(erdos_renyi(5, 0.0, rng=rng).edges) == 0
    for wrong in (
        lambda: cycle_graph(2),
        lambda: erdos_renyi(3, 1.5, rng=rng),
        lambda: block_model([], 0.5, 0.5, rng=rng),
        lambda: binary_tree(-1),
    ):
        with pytest.raises(InputError):
            wrong()
