import pytest
import torch

from corollary.claims.approximation.cybenko import Cybenko
from corollary.claims.approximation.decision_regions import DecisionRegions, _network, decision
from corollary.claims.approximation.dimension_lifting import DimensionLifting
from corollary.claims.approximation.discriminatory import Discriminatory
from corollary.claims.approximation.hornik import Hornik
from corollary.claims.approximation.leshno import Leshno
from corollary.claims.approximation.polynomial_activation import PolynomialActivation
from corollary.core import Verdict, generator
from corollary.theory.approximation.grids import box_grid


@pytest.mark.parametrize("d", [1, 2])
def test_sigmoid_networks_reach_two_hundredths(d):
    result = Cybenko(d=d).check(1)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value < 0.02


def test_a_step_is_never_closer_than_half_its_jump():
    claim = Cybenko(d=1)
    given = claim.counterexample(generator(0))
    assert min(claim.measure(given).values) >= 0.45


def test_the_missed_set_of_a_decision_function_shrinks_and_the_sup_error_does_not():
    claim = DecisionRegions()
    given = claim.given(generator(0))
    narrow = DecisionRegions(m=32).measure(given)
    assert all(wide < thin for wide, thin in zip(claim.measure(given), narrow, strict=True))
    x = box_grid(2, 150)
    for which in ("disc", "board"):
        off = (_network(given, 256, which)(x) - decision(given, which, x)).abs()
        assert off.max() >= 0.45  # half the jump, seen on a grid


def test_a_square_sees_three_moments():
    refuted = Discriminatory().refute(0)
    assert refuted.fails
    assert refuted.broken == ("no activation is a polynomial of degree below k - 1",)


@pytest.mark.parametrize("activation", ["exp", "sin", "sigmoid", "softplus"])
def test_every_activation_that_is_not_a_polynomial_reaches_the_cubic(activation):
    assert Leshno(activation=activation).check(2).verdict is Verdict.HOLDS


def test_a_square_stays_a_quarter_away_from_the_cubic():
    claim = Leshno()
    errors = claim.measure(claim.counterexample(generator(0))).values
    assert min(errors) >= 0.25


def test_a_square_stays_an_eighth_away_from_the_modulus():
    """The slide says that the choice of the activation does not matter."""
    claim = Hornik()
    assert claim.measure(claim.counterexample(generator(0)))[0] >= 0.125
    assert max(claim.measure(claim.given(generator(0)))) < 0.03


@pytest.mark.parametrize("k", [1, 2, 4])
def test_chebyshevs_floor_is_attained_and_not_passed(k):
    claim = PolynomialActivation(k=k)
    measured = claim.measure(claim.given(generator(k)))
    assert measured == pytest.approx([2.0**-k] * 3, rel=1e-6)


def test_the_lifted_network_spends_its_budget():
    result = DimensionLifting().check(3)
    assert result.verdict is Verdict.HOLDS
    assert 0.4 < result.ratio <= 1


def test_without_biases_the_lifting_fails_by_one():
    claim = DimensionLifting()
    assert claim.measure(claim.counterexample(generator(0))) >= 1 - 1e-9
    assert torch.isfinite(torch.tensor(claim.refute(0).measured[0].value))
