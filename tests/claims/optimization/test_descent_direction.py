import pytest
import torch

from corollary.claims.optimization.descent_direction import DescentDirection, Given
from corollary.core import Verdict


def bowl(share):
    """x²/2 from 1 along -1: the value is the same again after a step of length 2."""
    one = torch.ones(1, dtype=torch.float64)
    return Given(lambda x: 0.5 * (x**2).sum(), 1.0, one, -one[None], share * 2 * one)


def test_a_step_just_short_of_the_limit_still_descends():
    result = DescentDirection().check_given(bowl(0.999))
    assert result.verdict is Verdict.HOLDS
    assert 0.99 < result.ratio < 1


def test_a_step_beyond_the_limit_is_not_covered_and_climbs():
    claim = DescentDirection()
    assert claim.check_given(bowl(1.001)).verdict is Verdict.INAPPLICABLE
    assert claim.measure(bowl(1.001))[0] > claim.predict(bowl(1.001))


def test_a_right_angle_may_climb():
    refuted = DescentDirection().refute(0)
    assert refuted.fails and len(refuted.broken) == 1


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_directions(seed):
    assert DescentDirection(d=6).check(seed).verdict is Verdict.HOLDS
