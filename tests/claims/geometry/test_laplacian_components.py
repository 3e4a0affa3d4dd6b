import pytest

from corollary.claims.geometry.laplacian_components import Given, LaplacianComponents
from corollary.core import Verdict
from corollary.data.graphs import cycle_graph, path_graph


def test_a_ring_and_a_path_are_two_components():
    result = LaplacianComponents().check_given(Given((cycle_graph(3).union(path_graph(2)),), -1.0))
    assert result.verdict is Verdict.HOLDS and result.measured[0].value == 2


def test_with_a_plus_only_bipartite_components_count():
    given, claim = Given((cycle_graph(3).union(path_graph(2)),), 1.0), LaplacianComponents()
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert claim.measure(given) == [1.0]


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_graphs(seed):
    assert LaplacianComponents(M=30).check(seed).verdict is Verdict.HOLDS
