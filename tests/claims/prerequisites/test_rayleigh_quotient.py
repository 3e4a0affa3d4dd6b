import pytest
import torch

from corollary.claims.prerequisites.rayleigh_quotient import Given, RayleighQuotient
from corollary.core import Verdict


def test_a_diagonal_has_its_smallest_entry():
    A = torch.diag(torch.tensor([3.0, -1.0, 2.0], dtype=torch.float64))
    result = RayleighQuotient().check_given(Given(A, torch.ones(3, dtype=torch.float64)))
    assert result.verdict is Verdict.HOLDS and result.predicted == (-1.0,)


def test_a_shear_goes_below_both_of_its_eigenvalues():
    refuted = RayleighQuotient().refute(0)
    assert refuted.predicted == (1.0,) and refuted.measured[0].value == pytest.approx(-4.0)


@pytest.mark.parametrize("d", [2, 5, 12])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_matrices(seed, d):
    assert RayleighQuotient(d=d).check(seed).verdict is Verdict.HOLDS
