import pytest
import torch

from corollary.claims.prerequisites.second_order_remainder import Given, SecondOrderRemainder
from corollary.core import Verdict

ONE = torch.ones(1, dtype=torch.float64)


def test_the_cube_from_one_to_two_is_eight():
    given = Given(lambda x: (x**3).sum(), ONE, ONE, lambda t: 1 - t)
    result = SecondOrderRemainder(lengths=(1.0,)).check_given(given)
    assert result.verdict is Verdict.HOLDS and result.predicted == (8.0,)


def test_the_weight_of_the_notes_gives_eight_and_a_half():
    claim = SecondOrderRemainder(lengths=(1.0,))
    given = Given(lambda x: (x**3).sum(), ONE, ONE, lambda t: 0.5)
    assert claim.measure(given) == pytest.approx([8.5]) and claim.predict(given) == [8.0]
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("seed", range(4))
def test_it_holds_for_drawn_networks(seed):
    assert SecondOrderRemainder(d=3).check(seed).verdict is Verdict.HOLDS
