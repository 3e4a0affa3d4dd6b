import pytest
import torch

from corollary.claims.geometry.laplacian_quadratic_form import Given, LaplacianQuadraticForm
from corollary.core import Verdict
from corollary.data.graphs import path_graph


def path_of_three(extra: float) -> Given:
    g = path_graph(3)
    x = torch.tensor([[0.0], [1.0], [3.0]], dtype=torch.float64)
    return Given(g, g.degrees.double() + extra, x)


def test_a_path_by_hand():
    """(0 - 1)^2 + (1 - 3)^2 = 5."""
    result = LaplacianQuadraticForm().check_given(path_of_three(0.0))
    assert result.verdict is Verdict.HOLDS
    assert (result.predicted[0], result.measured[0].value) == (5.0, 5.0)


def test_the_degrees_of_a_gcn_add_the_squared_length():
    given = path_of_three(1.0)
    claim = LaplacianQuadraticForm()
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert claim.measure(given).tolist() == [15.0]  # 5 + |x|^2 = 5 + 10


@pytest.mark.parametrize("density", [0.0, 0.5, 1.0])
def test_it_holds_at_any_density(density):
    assert LaplacianQuadraticForm(M=20, density=density).check(1).verdict is Verdict.HOLDS
