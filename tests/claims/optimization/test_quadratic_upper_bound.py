import pytest
import torch

from corollary.claims.optimization.quadratic_upper_bound import Given, QuadraticUpperBound
from corollary.core import Verdict


def parabola(L):
    x = torch.tensor([[3.0]], dtype=torch.float64)
    return Given(lambda x: (x**2).sum(), L, x, x - 2)


def test_a_parabola_attains_the_bound():
    result = QuadraticUpperBound().check_given(parabola(2.0))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(result.predicted[0]) == pytest.approx(4.0)


def test_an_understated_smoothness_is_found():
    assert QuadraticUpperBound().check_given(parabola(1.9)).verdict is Verdict.INAPPLICABLE


def test_minus_x_to_the_fourth_breaks_the_lower_half():
    claim = QuadraticUpperBound()
    given = claim.suppositions[0].without(claim.draw(0))
    assert (claim.measure(given), claim.predict(given)) == ([81.0], [4.5])


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_landscapes(seed):
    assert QuadraticUpperBound(n=6, d=3).check(seed).verdict is Verdict.HOLDS
