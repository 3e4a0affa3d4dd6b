import pytest
import torch

from corollary.claims.prerequisites.operator_norm import Given, OperatorNormBound
from corollary.core import Verdict


def test_the_bound_is_attained_by_multiples_of_the_identity():
    eye = torch.eye(3, dtype=torch.float64)
    norm = OperatorNormBound().draw(0).norm
    result = OperatorNormBound().check_given(Given(2 * eye, 3 * eye, norm))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == (2.0,) * 3 + (6.0,) * 3
    assert [m.value for m in result.measured] == pytest.approx([2.0] * 3 + [6.0] * 3)


def test_the_largest_entry_is_not_submultiplicative():
    refuted = OperatorNormBound().refute(0)
    assert refuted.fails and refuted.broken == ("the matrix norm is induced by a vector norm",)


@pytest.mark.parametrize("factor", [0.5, 0.99, 1.01, 1.5])
def test_a_norm_that_is_off_fails(factor):
    given = OperatorNormBound().draw(0)
    off = given._replace(norm=lambda A, p: factor * given.norm(A, p))
    assert OperatorNormBound().check_given(off).verdict is Verdict.FAILS


def test_frobenius_in_place_of_the_spectral_norm_fails():
    given = OperatorNormBound().draw(0)
    wrong = given._replace(norm=lambda A, p: float(A.norm()) if p == 2 else given.norm(A, p))
    assert OperatorNormBound().check_given(wrong).verdict is Verdict.FAILS


@pytest.mark.parametrize("m", [1, 3, 8])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_tall_and_wide_matrices(m, seed):
    assert OperatorNormBound(m=m).check(seed).verdict is Verdict.HOLDS
