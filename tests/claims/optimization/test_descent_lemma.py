import pytest
import torch

from corollary.claims.optimization.descent_lemma import DescentLemma, Given
from corollary.core import Verdict


def bowl(L, eta):
    x = torch.ones(1, 1).double()
    return Given(lambda x: 0.5 * (x**2).sum(), L, x, eta)


@pytest.mark.parametrize("eta", [0.5, 1.0, 1.5])
def test_a_bowl_attains_the_promise(eta):
    result = DescentLemma().check_given(bowl(1.0, eta))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(result.predicted[0])


def test_with_an_overstated_L_the_decrease_is_more_than_promised():
    """The printed equality: 0.375 against 0.25."""
    result = DescentLemma().check_given(bowl(2.0, 0.5))
    assert (result.predicted[0], result.measured[0].value) == (0.25, 0.375)


def test_beyond_two_over_L_no_decrease_is_promised_and_a_bowl_climbs():
    result = DescentLemma().check_given(bowl(1.0, 2.1))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] < 0 and result.measured[0].value < 0


@pytest.mark.parametrize("share", [0.2, 1.0, 1.9])
def test_it_holds_for_drawn_landscapes(share):
    assert DescentLemma(d=4, n=10, share=share).check(1).verdict is Verdict.HOLDS
