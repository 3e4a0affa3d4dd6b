import pytest
import torch

from corollary.claims.geometry.graph_parseval import Given, GraphParseval
from corollary.core import Verdict
from corollary.data.graphs import path_graph
from corollary.theory.geometry.graph_fourier import fourier_basis


def test_an_edge_by_hand():
    """x = (3, 1): length 10, form 4; hat x = (2√2, √2) at the frequencies 0 and 2."""
    g = path_graph(2)
    given = Given(g, *fourier_basis(g), torch.tensor([[3.0], [1.0]], dtype=torch.float64))
    result = GraphParseval().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([10.0, 4.0])


def test_modes_of_another_length_do_not_apply():
    g = path_graph(2)
    f, U = fourier_basis(g)
    given = Given(g, f, 2 * U, torch.ones(2, 1, dtype=torch.float64))
    assert GraphParseval().check_given(given).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_signals(seed):
    assert GraphParseval(signals=2).check(seed).verdict is Verdict.HOLDS
