import pytest
import torch

from corollary.claims.generalization import (
    tangent_concentration,
    tangent_summands,
    weyl,
)
from corollary.core import Verdict
from corollary.theory.networks.activations import activation


@pytest.mark.parametrize("act", ["relu", "tanh", "sigmoid"])
def test_all_activations_keep_the_bound(act):
    assert tangent_summands.TangentSummands(act=act).check(0).verdict is Verdict.HOLDS


def test_the_bound_on_the_summands_is_attained_by_one_steep_input():
    one = torch.ones(1, 1, dtype=torch.float64)
    result = tangent_summands.TangentSummands().check_given(
        tangent_summands.Given(one, one, activation("relu"), 1.0)
    )
    assert result.verdict is Verdict.HOLDS and result.ratio == 1


def test_weyl_is_attained_by_diagonal_matrices():
    A, B = (torch.diag(torch.tensor(v, dtype=torch.complex128)) for v in ([3.0, -1.0], [2.0, -2.0]))
    result = weyl.Weyl().check_given(weyl.Given(A, B))
    assert result.verdict is Verdict.HOLDS
    assert [r.value for r in result.measured] == pytest.approx(list(result.predicted))


def test_output_weights_below_one_shrink_the_kernel():
    refuted = tangent_concentration.TangentConcentration().refute(1)
    assert refuted.fails and refuted.ratio == pytest.approx(3.1, abs=0.1)
