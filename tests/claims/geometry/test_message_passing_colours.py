import pytest

from corollary.claims.geometry.message_passing_colours import MessagePassingColours
from corollary.core import Verdict, generator
from corollary.data.graphs import complete_graph, cycle_graph, path_graph


@pytest.mark.parametrize("n", [3, 4, 10])
def test_it_holds_for_rings_of_any_size(n):
    assert MessagePassingColours(n=n, networks=4).check(n).verdict is Verdict.HOLDS


def test_other_regular_pairs_cannot_be_told_apart_either():
    """Two complete graphs of four, and the three-regular ladder of a cube's faces."""
    from corollary.theory.geometry.graph import Graph

    cube = Graph.of_edges(8, [(i, i ^ (1 << b)) for i in range(8) for b in range(3)])
    given = MessagePassingColours(networks=4).given(generator(0, "cube"))
    pair = given._replace(graph=cube, other=complete_graph(4).union(complete_graph(4)))
    assert MessagePassingColours().check_given(pair).verdict is Verdict.HOLDS


def test_different_degrees_do_not_apply():
    given = MessagePassingColours(networks=2).given(generator(0, "path"))
    pair = given._replace(graph=cycle_graph(6), other=path_graph(6))
    assert MessagePassingColours().check_given(pair).verdict is Verdict.INAPPLICABLE
