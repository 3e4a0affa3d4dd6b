import pytest
import torch

from corollary.claims.prerequisites.operator_norm import Given, OperatorNormBound
from corollary.core import Verdict


def test_the_bound_is_attained_by_multiples_of_the_identity():
    eye = torch.eye(3, dtype=torch.float64)
    result = OperatorNormBound().check_given(Given(2 * eye, 3 * eye, eye))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == (2.0,) * 3 + (6.0,) * 3
    assert [m.value for m in result.measured] == [2.0] * 3 + [6.0] * 3


def test_the_largest_entry_is_not_submultiplicative():
    refuted = OperatorNormBound().refute(0)
    assert refuted.fails and refuted.broken == ("the matrix norm is induced by a vector norm",)


@pytest.mark.parametrize("m", [1, 3, 8])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_tall_and_wide_matrices(m, seed):
    assert OperatorNormBound(m=m).check(seed).verdict is Verdict.HOLDS
