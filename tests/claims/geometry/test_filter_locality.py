import pytest
import torch

from corollary.claims.geometry.filter_locality import FilterLocality, Given, _impulse
from corollary.core import Verdict
from corollary.data.graphs import path_graph


def test_the_square_of_the_laplacian_by_hand():
    """In the middle of a path L^2 is (1, -4, 6, -4, 1)."""
    response = _impulse(path_graph(7), torch.tensor([0.0, 0.0, 1.0]).double())
    assert response.tolist() == [0.0, 1.0, -4.0, 6.0, -4.0, 1.0, 0.0]


@pytest.mark.parametrize("degrees", [(0,), (3, 5)])
def test_it_holds_for_other_degrees(degrees):
    assert FilterLocality(degrees=degrees).check(1).verdict is Verdict.HOLDS


def test_a_missing_coefficient_does_not_apply():
    given = Given(path_graph(11), (torch.ones(2).double(),), (4,))
    assert FilterLocality().check_given(given).verdict is Verdict.INAPPLICABLE
