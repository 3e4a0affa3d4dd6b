import dataclasses

import pytest
import torch

from corollary.claims.regularization.bounded_residual import BoundedResidual
from corollary.claims.regularization.fast_loss import FastLoss
from corollary.claims.regularization.fast_loss import Given as LossGiven
from corollary.claims.regularization.max_margin_direction import Given, MaxMarginDirection
from corollary.claims.regularization.slow_direction import SlowDirection
from corollary.claims.regularization.support_vector_kkt import Given as KktGiven
from corollary.claims.regularization.support_vector_kkt import SupportVectorKkt
from corollary.claims.regularization.validation_loss_growth import ValidationLossGrowth
from corollary.core import Verdict, generator
from corollary.data.supported_cloud import SupportedCloud
from corollary.theory.regularization.hard_margin import hard_margin_svm
from corollary.theory.regularization.margin_losses import LOGISTIC


def unit_points() -> SupportedCloud:
    """e_1 and e_2, both +1: w_hat = (1, 1), both multipliers 1."""
    e = torch.eye(2).double()
    return SupportedCloud(e, e.new_ones(2), e.new_ones(2), e.new_ones(2))


def test_two_orthogonal_points_have_limits_log_eta():
    given = Given(unit_points(), torch.zeros(1, 2).double(), 1.0, LOGISTIC)
    result = MaxMarginDirection(steps=1000).check_given(given)
    assert result.verdict is Verdict.HOLDS


@pytest.mark.parametrize("d", [2, 3])
def test_descent_meets_its_limits_for_drawn_clouds(d):
    assert MaxMarginDirection(d=d, steps=6000, starts=2).check(3).verdict is Verdict.HOLDS


def test_points_with_both_labels_do_not_apply():
    claim = MaxMarginDirection()
    given = claim.given(generator(0, "both"))
    x, y, w, alpha = given.cloud
    torn = SupportedCloud(
        torch.cat([x, x[:1]]), torch.cat([y, -y[:1]]), w, torch.cat([alpha, 0 * alpha[:1]])
    )
    result = claim.check_given(given._replace(cloud=torn))
    assert result.verdict is Verdict.INAPPLICABLE


def test_a_step_above_the_limit_does_not_apply():
    claim = MaxMarginDirection()
    given = claim.given(generator(0, "step"))
    result = claim.check_given(given._replace(eta=1.2 * given.eta / 0.9))
    assert [h.holds for h in result.hypotheses] == [True, True, False]


def test_time_times_loss_of_two_orthogonal_points_is_two():
    x = unit_points().x
    given = LossGiven(x, hard_margin_svm(x), torch.zeros(2).double())
    result = FastLoss().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert given.svm.margin**-2 == pytest.approx(2)


@pytest.mark.parametrize("claim", [FastLoss(d=3), SlowDirection(d=3)], ids=lambda c: c.name())
def test_rates_hold_in_three_dimensions_and_fail_for_a_polynomial_tail(claim):
    assert claim.check(2).verdict is Verdict.HOLDS
    assert claim.refute(2).broken == ("the loss has a tight exponential tail",)


@pytest.mark.parametrize("seed", range(3))
def test_the_residual_is_bounded_for_drawn_clouds(seed):
    assert BoundedResidual(d=2).check(seed).verdict is Verdict.HOLDS


def test_a_vector_that_is_not_the_shortest_is_noticed():
    claim = BoundedResidual()
    given = claim.given(generator(0, "turned"))
    turned = dataclasses.replace(given.svm, w=given.svm.w + 0.1)
    assert claim.check_given(given._replace(svm=turned)).verdict is Verdict.INAPPLICABLE


def test_the_machine_of_two_orthogonal_points_is_known():
    e = torch.eye(2).double()
    result = SupportVectorKkt().check_given(KktGiven(e, e.new_ones(2)))
    assert result.verdict is Verdict.HOLDS and result.predicted == pytest.approx((1.0, 1.0))


def test_negative_multipliers_and_short_vectors_do_not_apply():
    e = torch.eye(2).double()
    short = SupportVectorKkt().check_given(KktGiven(e, 0.5 * e.new_ones(2)))
    assert [h.holds for h in short.hypotheses] == [False, True, False]
    line = KktGiven(torch.tensor([[1.0], [2.0]]).double(), torch.tensor([3.0, -1.0]).double())
    negative = SupportVectorKkt().check_given(line)
    assert [h.holds for h in negative.hypotheses] == [True, False, False]


@pytest.mark.parametrize("d", [2, 5])
def test_multipliers_agree_with_the_primal_solver(d):
    assert SupportVectorKkt(d=d, n=30).check(4).verdict is Verdict.HOLDS


def test_validation_loss_grows_by_the_sum_over_the_errors_and_the_errors_settle():
    claim = ValidationLossGrowth()
    result = claim.check(1)
    assert result.verdict is Verdict.HOLDS
    _, without, errors = (mark.y for mark in result.figures[1].marks)
    assert errors[-1] == errors[-10] == 3
    # the points on the right side: their loss falls to 0
    assert without[-1] < 1e-3 < without[0]
    assert all(b <= a + 1e-9 for a, b in zip(without[20:], without[21:], strict=False))


def test_not_every_validation_set_has_a_growing_loss():
    """The notes' 'for all datasets': with every point on the right side nothing grows."""
    refuted = ValidationLossGrowth().refute(0)
    assert refuted.fails and abs(refuted.measured[0].value) < 1e-6
