import pytest
import torch

from corollary.claims.prerequisites.chain_rule import ChainRule, Given
from corollary.core import Verdict


def test_two_linear_maps_multiply():
    A = torch.tensor([[1.0, 2.0]], dtype=torch.float64)
    B = torch.tensor([[3.0], [4.0]], dtype=torch.float64)
    given = Given((lambda x: B @ x, lambda z: A @ z), torch.ones(1, dtype=torch.float64))
    result = ChainRule().check_given(given)
    assert result.verdict is Verdict.HOLDS and result.predicted == (11.0,)


def test_two_kinks_make_a_line_whose_slope_the_rule_does_not_see():
    refuted = ChainRule().refute(0)
    assert refuted.predicted == (0.0,) and refuted.measured[0].value == pytest.approx(1.0)


@pytest.mark.parametrize("L", [1, 3, 6])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_networks(seed, L):
    assert ChainRule(L=L).check(seed).verdict is Verdict.HOLDS
