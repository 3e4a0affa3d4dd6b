import pytest

from corollary.claims.approximation.cybenko import Cybenko
from corollary.claims.approximation.decision_regions import DecisionRegions
from corollary.claims.approximation.dimension_lifting import DimensionLifting
from corollary.claims.approximation.discriminatory import Discriminatory
from corollary.claims.approximation.hornik import Hornik
from corollary.claims.approximation.leshno import Leshno
from corollary.claims.approximation.polynomial_activation import PolynomialActivation
from corollary.claims.approximation.relu_universal import ReluUniversal
from corollary.core import Verdict


@pytest.mark.parametrize("d", [1, 2])
def test_sigmoid_networks_reach_two_hundredths(d):
    result = Cybenko(d=d).check(1)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value < 0.02


def test_a_step_is_never_closer_than_half_its_jump():
    claim = Cybenko(d=1)
    step = next(claim.without(claim.draw(0)))
    assert min(step.measured.values) >= 0.45


def test_the_missed_set_of_a_decision_function_shrinks_with_the_width():
    wide, thin = (DecisionRegions(m=m).check(0, draw=False).measured for m in (256, 32))
    assert all(w.value < t.value for w, t in zip(wide[:2], thin[:2], strict=True))


@pytest.mark.parametrize(("d", "moments"), [(1, 3), (2, 6), (3, 10)])
def test_a_square_sees_the_moments_up_to_order_two(d, moments):
    square = Discriminatory(d=d).check(0, draw=False).counterexamples[1]
    assert square.broken == ("no activation is a polynomial of low degree",)
    assert [m.value for m in square.measured] == [moments] * 3


@pytest.mark.parametrize("activation", ["exp", "sin", "sigmoid", "softplus"])
def test_every_activation_that_is_not_a_polynomial_reaches_the_cubic(activation):
    assert Leshno(activation=activation).check(2).verdict is Verdict.HOLDS


def test_a_square_stays_a_quarter_away_from_the_cubic():
    claim = Leshno()
    square = list(claim.without(claim.draw(0)))[1]
    assert min(square.measured.values) >= 0.25


def test_a_square_stays_an_eighth_away_from_the_modulus():
    """The slide says that the choice of the activation does not matter."""
    result = Hornik().check(0, draw=False)
    assert min(m.value for m in result.counterexamples[1].measured) >= 0.125
    assert max(m.value for m in result.measured) < 0.025


@pytest.mark.parametrize("target", ["bump", "cone", "runge"])
@pytest.mark.parametrize("d", [1, 2])
def test_relu_networks_reach_functions_that_are_no_ridge_sums(target, d):
    result = ReluUniversal(target, d=d).check(1, draw=False)
    assert result.verdict is Verdict.HOLDS, result.sentence


@pytest.mark.parametrize("k", [1, 2, 4])
def test_chebyshevs_floor_is_attained_and_not_passed(k):
    found = PolynomialActivation(k=k).check(k, draw=False)
    assert [m.value for m in found.measured] == pytest.approx([2.0**-k] * 3, rel=1e-6)


def test_without_biases_the_lifting_fails_by_one():
    odd = DimensionLifting().check(0, draw=False).counterexamples[2]
    assert odd.measured[0].value >= 1 - 1e-9
