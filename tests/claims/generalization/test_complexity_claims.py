"""Rademacher complexity, its calculus, and the bounds that stand on it."""

import pytest
import torch
from scipy.stats import ksone

from corollary.claims.generalization import rademacher_linear, symmetrisation
from corollary.claims.generalization.deep_relu_complexity import DeepReluComplexity
from corollary.claims.generalization.khinchin_kahane import Given, KhinchinKahane
from corollary.claims.generalization.rademacher_bound import RademacherBound
from corollary.claims.generalization.rademacher_contraction import RademacherContraction, step
from corollary.claims.generalization.rademacher_linear import RademacherLinear
from corollary.claims.generalization.rademacher_sum import RademacherSum
from corollary.claims.generalization.ramp_loss_bound import RampLossBound
from corollary.claims.generalization.symmetrisation import Symmetrisation
from corollary.core import Verdict, generator
from corollary.theory.generalization.rademacher import sign_vectors


def test_symmetrisation_is_worked_by_hand_for_one_sample():
    """f and 1 - f on two points, m = 1: the expected supremum is 1/2, the complexity 1/2."""
    values = torch.eye(2, dtype=torch.float64)
    given = symmetrisation.Given(values, torch.tensor([[0], [1]]))
    claim = Symmetrisation()
    assert claim.measure(given) == 0.5
    assert claim.predict(given) == 1.0


@pytest.mark.parametrize("m", [20, 500])
def test_the_rademacher_bound_holds_and_the_quantile_is_that_of_smirnov(m):
    claim = RademacherBound(m=m, trials=2000, delta=0.05)
    result = claim.check(0)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(ksone.ppf(0.95, m), rel=0.1)


def test_orthogonal_points_attain_both_linear_bounds():
    given = rademacher_linear.Given(torch.eye(9, dtype=torch.float64), 1.0, 2.0)
    result = RademacherLinear().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.ratio == pytest.approx(1)


@pytest.mark.parametrize(("m", "d"), [(5, 1), (10, 30)])
def test_the_linear_bounds_hold_in_any_dimension(m, d):
    assert RademacherLinear(m=m, d=d).check(0).verdict is Verdict.HOLDS
    assert KhinchinKahane(m=m, d=d).check(0).verdict is Verdict.HOLDS


def test_two_equal_vectors_attain_khinchin_and_kahane():
    x = torch.tensor([[3.0, 4.0], [3.0, 4.0]], dtype=torch.float64)
    result = KhinchinKahane().check_given(Given(x, sign_vectors(2)))
    assert result.verdict is Verdict.HOLDS
    assert result.ratio == pytest.approx(1)


@pytest.mark.parametrize("scale", [0.1, 5.0])
def test_contraction_holds_for_small_and_large_values(scale):
    assert RademacherContraction(scale=scale).check(2).verdict is Verdict.HOLDS


def test_the_step_function_is_not_lipschitz():
    claim = RademacherContraction()
    given = claim.given(generator(0, "x"))._replace(phi=(step,))
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 9), (6, 4)])
def test_complexities_of_sums_add_up(a, b):
    assert RademacherSum(a=a, b=b, m=6).check(0).verdict is Verdict.HOLDS


@pytest.mark.parametrize("W", [0.5, 4.0])
def test_the_margin_bound_holds_for_short_and_long_weights(W):
    assert RampLossBound(W=W, n=100, trials=200).check(0).verdict is Verdict.HOLDS


def test_a_sample_from_elsewhere_breaks_the_margin_bound():
    assert RampLossBound(trials=200).refute(0).fails


@pytest.mark.parametrize("B", [0.5, 2.0])
def test_deep_networks_stay_below_their_norm_bounds(B):
    assert DeepReluComplexity(B=B, L=3, draws=12).check(0).verdict is Verdict.HOLDS
