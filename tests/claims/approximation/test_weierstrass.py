import pytest
import torch

from corollary.claims.approximation.bernstein_modulus import BernsteinModulus
from corollary.claims.approximation.bernstein_moments import BernsteinMoments, Given
from corollary.claims.approximation.bernstein_rate import BernsteinRate
from corollary.claims.approximation.interval_change import IntervalChange
from corollary.claims.approximation.landau_weierstrass import LandauWeierstrass
from corollary.claims.approximation.polynomial_fits import PolynomialFits
from corollary.claims.approximation.stone_weierstrass import StoneWeierstrass
from corollary.claims.approximation.stone_weierstrass_needs import StoneWeierstrassNeeds
from corollary.core import Verdict


def test_the_sums_printed_in_the_notes_miss_a_third():
    x = torch.tensor([0.2], dtype=torch.float64)
    found = BernsteinMoments(m=5).measure(Given(x, torch.arange(1, 6)))
    assert found[0] == pytest.approx(0.67232)
    assert found[2] == pytest.approx(0.0189, abs=5e-5)


@pytest.mark.parametrize(("p", "rate"), [(1.0, -0.5), (2.0, -1.0), (4.0, -1.0)])
def test_the_rates_of_bernstein_polynomials(p, rate):
    result = BernsteinRate(p=p).check(2)
    assert result.measured[0].value == pytest.approx(rate, abs=0.03)


def test_the_kink_takes_a_quarter_of_the_modulus_bound():
    result = BernsteinModulus(slope=3.0).check(0)
    ratios = [m.value / p for m, p in zip(result.measured, result.predicted, strict=True)]
    assert ratios == pytest.approx([0.266] * 5, abs=0.02)


@pytest.mark.parametrize(("a", "length"), [(-2.0, 1.0), (0.0, 1.0), (2.0, 10.0)])
def test_the_error_moves_with_the_interval(a, length):
    result = IntervalChange(a=a, length=length).check(0)
    assert result.verdict is Verdict.HOLDS


def test_without_a_zero_at_one_half_of_the_ramp_is_lost():
    """P_400(1) = 0.486 for f(t) = t."""
    rising = LandauWeierstrass(orders=(400,)).check(1).counterexamples[1]
    assert rising.broken == ("f vanishes at 1",)
    assert rising.measured[0].value == pytest.approx(0.514, abs=1e-3)


def test_polynomials_of_growing_degree_come_closer_at_chebyshev_points_only():
    result = PolynomialFits().check(0)
    errors = [m.value for m in result.measured]
    assert errors[3] < errors[2] < errors[0]
    assert result.counterexample.measured[3].value > 10


@pytest.mark.parametrize("family", ["polynomials", "cosines", "exponentials"])
def test_algebras_that_separate_points_are_dense(family):
    assert StoneWeierstrass(family=family).check(1).verdict is Verdict.HOLDS


def test_the_four_obstructions_are_attained():
    result = StoneWeierstrassNeeds().check(0)
    assert [m.value for m in result.measured] == pytest.approx([0.25, 1.0, 0.5, 0.125], rel=1e-3)
    assert result.verdict is Verdict.HOLDS
