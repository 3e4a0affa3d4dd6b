import pytest
import torch

from corollary.claims.geometry.filter_eigenspaces import FilterEigenspaces
from corollary.core import Verdict, generator


@pytest.mark.parametrize("M", [3, 8, 31])
def test_it_holds_for_rings_of_any_size(M):
    assert FilterEigenspaces(M=M, t=0.3).check(M).verdict is Verdict.HOLDS


def test_the_filter_is_the_matrix_exponential():
    claim = FilterEigenspaces(M=7)
    given = claim.given(generator(0, "heat"))
    L = given.U @ torch.diag(given.frequencies) @ given.U.T
    assert claim.measure(given).tolist() == pytest.approx((torch.matrix_exp(-L) @ given.x).tolist())


def test_the_second_basis_is_really_another():
    given = FilterEigenspaces().given(generator(1, "turned"))
    assert not torch.allclose(given.U.abs(), given.V.abs(), atol=1e-3)


def test_gains_by_mode_are_refuted():
    assert FilterEigenspaces().refute(0).broken == ("modes of equal frequency have equal gains",)
