import pytest
import torch

from corollary.claims.regularization.batch_norm_scale import BatchNormScale
from corollary.claims.regularization.batch_norm_scale import Given as Batch
from corollary.claims.regularization.dropout_moments import DropoutMoments
from corollary.claims.regularization.dropout_penalty import DropoutPenalty
from corollary.claims.regularization.dropout_penalty import Given as Layer
from corollary.claims.regularization.early_stopping import EarlyStopping
from corollary.claims.regularization.exponential_tails import ExponentialTails
from corollary.claims.regularization.exponential_tails import Given as Tail
from corollary.claims.regularization.ridge_shrinkage import Given as Ridge
from corollary.claims.regularization.ridge_shrinkage import RidgeShrinkage
from corollary.core import Verdict, generator
from corollary.theory.regularization.margin_losses import EXPONENTIAL, LOGISTIC


def test_one_point_is_halved_by_a_ridge_of_one():
    one = torch.ones(1, 1).double()
    result = RidgeShrinkage().check_given(Ridge(one, 4 * one[0], 1.0, 1.0))
    assert result.verdict is Verdict.HOLDS and result.predicted == pytest.approx((0.5,))


def test_the_printed_ridge_is_another():
    one = torch.ones(1, 1).double()
    claim = RidgeShrinkage()
    given = Ridge(one, one[0], 1.0, 0.5)
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert claim.predict(given).item() == pytest.approx(1 / 2)
    assert claim.measure(given).item() == pytest.approx(2 / 3)


@pytest.mark.parametrize("lam", [1e-3, 1.0, 1e3])
def test_ridge_holds_for_drawn_data(lam):
    assert RidgeShrinkage(lam=lam).check(1).verdict is Verdict.HOLDS


@pytest.mark.parametrize("steps", [5, 20, 200])
def test_early_stopping_agrees_to_second_order_for_any_step(steps):
    assert EarlyStopping(steps=steps).check(0).verdict is Verdict.HOLDS


def test_the_printed_time_agrees_to_first_order_only():
    refuted = EarlyStopping().refute(0)
    assert refuted.fails and refuted.measured[0].value == pytest.approx(1, abs=0.1)


def test_one_unit_with_rate_one_half_doubles_its_loss():
    one = torch.ones(1, 1).double()
    claim, given = DropoutPenalty(), Layer(2 * one, 3 * one, 6 * one)
    result = claim.check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[3] == pytest.approx(36)  # rate 1/2: outputs 0 and 12 for the target 6


@pytest.mark.parametrize("m", [1, 12])
def test_dropout_is_a_penalty_for_drawn_layers(m):
    assert DropoutPenalty(m=m).check(2).verdict is Verdict.HOLDS


@pytest.mark.parametrize("p", [0.1, 0.2, 0.5])
def test_moments_of_dropped_units_hold_for_customary_rates(p):
    assert DropoutMoments(p=p).check(0).verdict is Verdict.HOLDS


def test_plain_masks_have_another_mean():
    refuted = DropoutMoments().refute(0)
    assert refuted.fails and refuted.broken == ("kept activations are divided by 1 - p",)


def test_a_batch_of_two_becomes_minus_one_and_one():
    given = Batch(torch.tensor([3.0, 7.0]).double(), torch.tensor([0.5, -9.0]).double(), 1.0, 0.0)
    result = BatchNormScale().check_given(given)
    assert result.verdict is Verdict.HOLDS
    edge = torch.tanh(torch.tensor(1.0).double()).item()
    assert result.predicted == pytest.approx((-edge, edge, edge, -edge, 0.0, 0.0))


def test_weight_zero_does_not_apply():
    given = BatchNormScale().given(generator(0, "zero"))
    broken = given._replace(w1=given.w1 * 0)
    assert BatchNormScale().check_given(broken).verdict is Verdict.INAPPLICABLE


def test_the_exponential_loss_is_its_own_tail():
    given = Tail(torch.tensor([0.5, 3.0]).double(), EXPONENTIAL)
    result = ExponentialTails().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([0, 0], abs=1e-12)


def test_negative_margins_are_outside_the_tail():
    given = Tail(torch.tensor([-1.0]).double(), LOGISTIC)
    assert ExponentialTails().check_given(given).verdict is Verdict.INAPPLICABLE
