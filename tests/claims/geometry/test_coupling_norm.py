import pytest
import torch

from corollary.claims.geometry.coupling_norm import CouplingNorm, Given
from corollary.core import Verdict
from corollary.data.graphs import path_graph


def test_an_edge_by_hand():
    """All entries are 1/2: eigenvalues 0 and 1."""
    result = CouplingNorm().check_given(Given(path_graph(2), torch.full((2, 2), 0.5).double()))
    assert result.verdict is Verdict.HOLDS


@pytest.mark.parametrize("density", [0.0, 0.01, 0.5, 1.0])
def test_it_holds_at_any_density(density):
    assert CouplingNorm(M=40, density=density).check(1).verdict is Verdict.HOLDS


def test_without_loops_in_the_degrees_it_does_not_apply():
    A = path_graph(3).dense() + torch.eye(3)
    root = torch.tensor([1.0, 2.0, 1.0]).sqrt()  # degrees without the loop
    given = Given(path_graph(3), A / torch.outer(root, root))
    assert CouplingNorm().check_given(given).verdict is Verdict.INAPPLICABLE
