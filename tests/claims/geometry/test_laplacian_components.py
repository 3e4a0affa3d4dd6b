import pytest

from corollary.claims.geometry.laplacian_components import Given, LaplacianComponents
from corollary.core import Verdict
from corollary.data.graphs import cycle_graph, path_graph
from corollary.theory.geometry.graph_laplacian import laplacian

PAIR = cycle_graph(3).union(path_graph(2))


def test_a_ring_and_a_path_are_two_components():
    result = LaplacianComponents().check_given(Given((PAIR,), (laplacian(PAIR).to_dense(),)))
    assert result.verdict is Verdict.HOLDS and result.measured[0].value == 2


def test_with_a_plus_only_bipartite_components_count():
    given, claim = Given((PAIR,), (laplacian(PAIR).to_dense().abs(),)), LaplacianComponents()
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert claim.measure(given) == [1]


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_graphs(seed):
    assert LaplacianComponents(M=30).check(seed).verdict is Verdict.HOLDS
