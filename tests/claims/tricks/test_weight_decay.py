import pytest
import torch

from corollary.claims.tricks.l2_landscape import L2Landscape
from corollary.claims.tricks.weight_decay import WeightDecay
from corollary.claims.tricks.weight_decay_shrinkage import Given, WeightDecayShrinkage
from corollary.core import Verdict


@pytest.mark.parametrize("mu", [0.0, 0.1, 3.0])
def test_decay_beside_the_steps_is_a_penalty_for_plain_descent(mu):
    assert WeightDecay(mu=mu, steps=15).check(1).verdict is Verdict.HOLDS


def test_one_coordinate_by_hand():
    one = torch.ones(1, 1, dtype=torch.float64)
    result = WeightDecayShrinkage(d=1).check_given(Given(3 * one, one[0], 1.0))
    assert result.verdict is Verdict.HOLDS and result.measured[0].value == pytest.approx(0.75)


def test_the_direction_of_small_curvature_moves_most():
    claim = L2Landscape()
    given = claim.given(torch.Generator().manual_seed(0))
    _, Q = torch.linalg.eigh(given.H)
    moved = Q.T @ (given.theta_star - claim.predict(given))
    share = (moved / (Q.T @ given.theta_star)).tolist()
    assert share == pytest.approx([1 / 1.4, 1 / 5])
