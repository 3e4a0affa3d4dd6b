import pytest

from corollary.claims.geometry.cycle_frequencies import CycleFrequencies
from corollary.core import Verdict
from corollary.data.graphs import cycle_graph


def test_a_square_by_hand():
    result = CycleFrequencies(M=4).check(0)
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([0.0, 2.0, 2.0, 4.0], abs=1e-12)


@pytest.mark.parametrize("M", [3, 17, 64])
def test_it_holds_for_rings_of_any_size(M):
    assert CycleFrequencies(M=M).check(0).verdict is Verdict.HOLDS


def test_two_rings_are_no_ring():
    given = cycle_graph(4).union(cycle_graph(4))
    assert CycleFrequencies().check_given(given).verdict is Verdict.INAPPLICABLE
