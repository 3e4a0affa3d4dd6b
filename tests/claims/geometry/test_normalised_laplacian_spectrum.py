import pytest

from corollary.claims.geometry.normalised_laplacian_spectrum import (
    Given,
    NormalisedLaplacianSpectrum,
    normalised,
)
from corollary.core import Verdict
from corollary.data.graphs import complete_graph, path_graph


def test_an_edge_attains_it_and_a_triangle_does_not():
    given = Given(tuple(normalised(g.dense()) for g in (path_graph(2), complete_graph(3))))
    result = NormalisedLaplacianSpectrum().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([2.0, 1.5])


@pytest.mark.parametrize("M", [4, 9, 30])
def test_it_holds_at_other_sizes(M):
    assert NormalisedLaplacianSpectrum(M=M).check(2).verdict is Verdict.HOLDS


def test_a_negative_edge_is_refuted():
    assert NormalisedLaplacianSpectrum().refute(0).broken == ("no edge has a negative weight",)
