import pytest

from corollary.claims.geometry.coupling_lowest import CouplingLowest, Given
from corollary.core import Verdict
from corollary.data.graphs import complete_bipartite_graph, cycle_graph
from corollary.theory.geometry.normalised_adjacency import gcn_norm


def test_a_square_attains_the_bound():
    """K_{2,2}: eigenvalues 1, 1/3, 1/3, -1/3, and -1 + 2/3 = -1/3."""
    square = complete_bipartite_graph(2, 2)
    result = CouplingLowest().check_given(Given((square,), (gcn_norm(square).to_dense(),)))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(-1 / 3) == pytest.approx(result.predicted[0])


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_graphs(seed):
    assert CouplingLowest(M=15).check(seed).verdict is Verdict.HOLDS


def test_without_loops_an_even_ring_has_minus_one():
    claim, given = CouplingLowest(), Given((cycle_graph(6),), (cycle_graph(6).dense() / 2,))
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert claim.measure(given)[0] == pytest.approx(-1.0)
