"""Risk, Hoeffding, the union bound, empirical risk minimisation and McDiarmid."""

import math

import pytest
import torch
from scipy import stats

from corollary.claims.generalization import erm_excess_risk as erm
from corollary.claims.generalization import mcdiarmid, union_bound
from corollary.claims.generalization.empirical_risk import EmpiricalRisk, expected, fitted
from corollary.claims.generalization.erm_excess_risk import ErmExcessRisk
from corollary.claims.generalization.hoeffding import Given, Hoeffding
from corollary.claims.generalization.least_squares_gap import LeastSquaresGap
from corollary.claims.generalization.mcdiarmid import Mcdiarmid
from corollary.claims.generalization.union_bound import UnionBound
from corollary.core import Verdict, generator


def test_the_expected_risk_is_that_of_two_gaussians():
    given = EmpiricalRisk(s=0.5).given(generator(0, "x"))
    risk, variance = EmpiricalRisk(s=0.5).predict(given)
    assert risk == pytest.approx(stats.norm.sf(2))
    assert variance == pytest.approx(risk * (1 - risk))


def test_a_fitted_rule_is_flattered_on_the_sample_and_worse_outside():
    claim = EmpiricalRisk(n=10, trials=2000)
    given = claim.given(generator(0, "x"))
    below, b = fitted(given.x, given.y)
    assert below.mean() < stats.norm.sf(1) < expected(b, given.s).mean()


def test_the_gap_of_least_squares_is_worked_by_hand():
    claim = LeastSquaresGap(n=12, d=1, trials=2000)
    given = claim.given(generator(0, "x"))
    assert claim.predict(given) == pytest.approx(-(1 / 12 + 1 / 10))


@pytest.mark.parametrize(("n", "d"), [(20, 3), (60, 12)])
def test_the_gap_of_least_squares_holds_for_other_sizes(n, d):
    assert LeastSquaresGap(n=n, d=d).check(1).verdict is Verdict.HOLDS


def test_with_too_few_points_the_formula_does_not_apply():
    result = LeastSquaresGap(n=8, d=7, trials=500).check(0)
    assert result.verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("law", ["coin", "uniform", "rare"])
@pytest.mark.parametrize("n", [10, 200])
def test_hoeffding_holds_for_bounded_values(law, n):
    result = Hoeffding(law=law, n=n, trials=4000).check(0)
    assert result.verdict is Verdict.HOLDS


def test_one_coin_is_worked_by_hand():
    """One throw is always off by 1/2: a failure iff epsilon is below 1/2."""
    values = torch.tensor([[0.0], [1.0]], dtype=torch.float64).repeat(500, 1)
    strict = Hoeffding(n=1, delta=0.9).trial(Given(values, 0.5, 0.0, 1.0, 0.63))
    assert strict.measured.hits == 0
    assert Hoeffding(delta=0.1).check_given(Given(3 * values, 1.5, 0.0, 1.0, 0.1)).verdict is (
        Verdict.INAPPLICABLE
    )


def test_the_share_of_failures_is_the_exact_binomial_tail():
    claim = Hoeffding(n=100, delta=0.1)
    found = claim.check(0).measured[0]
    exact = stats.binom.cdf(37, 100, 0.5) + stats.binom.sf(62, 100, 0.5)  # |k - 50| > 12.2
    assert found.low <= exact <= found.high


def test_a_class_of_perfect_functions_never_strays():
    zero = torch.zeros(5, dtype=torch.float64)
    given = union_bound.Given(zero, zero.expand(2000, 5), 10, 5, 0.1)
    assert UnionBound().trial(given).measured.hits == 0


def test_the_inequality_of_a_single_sample_is_attained():
    """Risks 0.4 and 0.6 that look exchanged: an excess of 0.2 = 2 * 0.1."""
    risks = torch.tensor([0.4, 0.6], dtype=torch.float64)
    empirical = torch.tensor([[0.5, 0.5]], dtype=torch.float64).expand(2000, 2)
    given = erm.Given(risks, empirical, torch.ones(2000, dtype=torch.int64), 10)
    trial = ErmExcessRisk().trial(given)
    assert trial.measured[1] == pytest.approx(1.0)
    assert trial.comparison.verdict is Verdict.HOLDS


@pytest.mark.parametrize("g", ["largest deviation", "mean"])
def test_mcdiarmid_holds_for_both_functions(g):
    assert Mcdiarmid(g=g, n=20, trials=8000).check(0).verdict is Verdict.HOLDS


def test_the_bound_at_the_chosen_deviation_is_delta():
    claim = Mcdiarmid(n=30, delta=1.2, trials=1000)
    assert claim.predict(claim.given(generator(0, "x"))) == pytest.approx(1.2)


def test_a_function_with_larger_differences_is_noticed():
    claim = Mcdiarmid(n=30, trials=1000)
    given = claim.given(generator(0, "x"))
    result = claim.check_given(given._replace(c=0.5 / 30))
    assert result.verdict is Verdict.INAPPLICABLE
    assert isinstance(given, mcdiarmid.Given)
    assert math.isclose(given.c, 1 / 30)
