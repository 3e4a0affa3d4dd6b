import pytest
import torch

from corollary.claims.geometry.polynomial_filter import Given, PolynomialFilter
from corollary.core import Verdict
from corollary.data.graphs import path_graph


def test_an_edge_by_hand():
    """L = [[1, -1], [-1, 1]] and L^2 = 2 L: (1 + L + L^2) (1, 0) = (4, -3)."""
    x = torch.tensor([[1.0], [0.0]], dtype=torch.float64)
    given = Given(path_graph(2), lambda f: 1 + f + f**2, torch.ones(3, dtype=torch.float64), x)
    result = PolynomialFilter().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([4.0, -3.0])


@pytest.mark.parametrize("K", [0, 1, 7])
def test_it_holds_for_other_degrees(K):
    assert PolynomialFilter(K=K).check(K).verdict is Verdict.HOLDS


def test_a_step_is_refuted():
    assert PolynomialFilter().refute(0).fails
