import pytest
import torch

from corollary.claims.geometry.filter_locality import FilterLocality, Given
from corollary.core import Verdict
from corollary.data.graphs import path_graph
from corollary.theory.geometry.graph_laplacian import laplacian


def test_the_square_of_the_laplacian_by_hand():
    """In the middle of a path L^2 is (1, -4, 6, -4, 1)."""
    square = laplacian(path_graph(7)).to_dense() @ laplacian(path_graph(7)).to_dense()
    assert square[3].tolist() == [0.0, 1.0, -4.0, 6.0, -4.0, 1.0, 0.0]
    result = FilterLocality(M=11).check_given(Given(path_graph(7), square[None], (2,)))
    assert result.verdict is Verdict.HOLDS and result.measured[0].value == 2


@pytest.mark.parametrize("degrees", [(0,), (3, 5)])
def test_it_holds_for_other_degrees(degrees):
    assert FilterLocality(degrees=degrees).check(1).verdict is Verdict.HOLDS


def test_a_polynomial_of_higher_degree_does_not_apply():
    cube = torch.linalg.matrix_power(laplacian(path_graph(11)).to_dense(), 3)
    given = Given(path_graph(11), cube[None], (2,))
    assert FilterLocality().check_given(given).verdict is Verdict.INAPPLICABLE
