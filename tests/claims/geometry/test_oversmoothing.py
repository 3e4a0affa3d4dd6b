import pytest
import torch

from corollary.claims.geometry.oversmoothing import Given, Oversmoothing
from corollary.core import Verdict
from corollary.data.graphs import complete_graph, path_graph


def test_on_an_edge_everything_is_forgotten_at_once():
    """All entries of the matrix are 1/2, and the second eigenvalue is 0."""
    given = Given(path_graph(2), torch.tensor([[1.0], [3.0]], dtype=torch.float64))
    claim = Oversmoothing(K=2)
    assert claim.predict(given).tolist() == pytest.approx([2**0.5, 0.0, 0.0])
    assert claim.measure(given).tolist() == pytest.approx([2**0.5, 0.0, 0.0], abs=1e-12)


def test_an_eigenvector_attains_the_bound():
    """On the path of three the vector (1, 0, -1) has eigenvalue 1/2."""
    x = torch.tensor([[1.0], [0.0], [-1.0]], dtype=torch.float64)
    result = Oversmoothing(K=5).check_given(Given(path_graph(3), x))
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx(list(result.predicted))


def test_two_components_do_not_apply():
    graph = complete_graph(3).union(complete_graph(3))
    given = Given(graph, torch.randn(6, 2, dtype=torch.float64))
    assert Oversmoothing().check_given(given).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("seed", range(4))
def test_it_holds_for_drawn_features(seed):
    assert Oversmoothing(d=2, K=10).check(seed).verdict is Verdict.HOLDS
