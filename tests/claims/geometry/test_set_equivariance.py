import pytest
import torch
from torch import nn

from corollary.claims.geometry.set_equivariance import Given, SetEquivariance
from corollary.core import Verdict
from corollary.theory.networks.permutations import permutation_matrix


def three_rows(R: torch.Tensor) -> Given:
    X = torch.tensor([[1.0], [2.0], [3.0]], dtype=torch.float64)
    return Given(X, permutation_matrix([1, 2, 0]), R, nn.Identity())


def test_the_identity_and_a_cycle_of_three_by_hand():
    P = permutation_matrix([1, 2, 0])
    result = SetEquivariance().check_given(three_rows(P.T.contiguous()))
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == [1.0, 2.0, 3.0]


def test_the_form_printed_in_the_notes_is_false():
    """P P X = (3, 1, 2) for the cycle; it is inapplicable, and the relation fails."""
    given = three_rows(permutation_matrix([1, 2, 0]))
    claim = SetEquivariance()
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert claim.measure(given).tolist() == [3.0, 1.0, 2.0]
    assert claim.refute(1).fails


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_sets(seed):
    assert SetEquivariance(M=5 + seed, d=3).check(seed).verdict is Verdict.HOLDS
