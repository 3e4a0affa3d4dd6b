import pytest
import torch

from corollary.claims.optimization.heavy_ball_speed import Given, HeavyBallSpeed
from corollary.core import Verdict


def test_the_first_steps_by_hand():
    one, rest = torch.ones(1).double(), torch.zeros(1).double()
    result = HeavyBallSpeed(steps=3, d=1).check_given(Given(one, rest, rest))
    assert [m.value for m in result.measured] == pytest.approx([0.1, 0.19, 0.271])


def test_the_sum_that_the_notes_print_would_leave_the_first_two_steps_at_rest():
    found = HeavyBallSpeed(steps=2).check(0)
    printed = [0.1 * sum(0.9**tau for tau in range(1, t)) for t in range(2)]
    assert printed == [0, 0] and all(m.value > 0 for m in found.measured)


def test_a_ball_that_was_thrown_moves_otherwise():
    refuted = HeavyBallSpeed().refute(0)
    assert refuted.fails and refuted.broken == ("the momentum starts at zero",)


@pytest.mark.parametrize("beta", [0.0, 0.5, 0.999])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_every_momentum(beta, seed):
    assert HeavyBallSpeed(beta=beta, steps=200, d=5).check(seed).verdict is Verdict.HOLDS
