"""Softmax, permutations and losses: by hand and broken."""

import math

import pytest
import torch

from corollary.claims.networks import (
    brier_score,
    cross_entropy_gradient,
    expectation_loss,
    gibbs_inequality,
    hidden_unit_permutation,
    median_and_mean,
    softmax_is_sigmoid,
    softmax_shift,
    surrogate_losses,
)
from corollary.core import Verdict, generator

F64 = torch.float64
CLAIMS = [
    brier_score.BrierScore(),
    cross_entropy_gradient.CrossEntropyGradient(),
    expectation_loss.ExpectationLoss(),
    gibbs_inequality.GibbsInequality(),
    hidden_unit_permutation.HiddenUnitPermutation(),
    hidden_unit_permutation.HiddenUnitPermutation(phi="elu", m=30),
    median_and_mean.MedianAndMean(),
    softmax_is_sigmoid.SoftmaxIsSigmoid(),
    softmax_shift.SoftmaxShift(),
    softmax_shift.SoftmaxShift(d=2, k=7),
    surrogate_losses.SurrogateLosses(),
]


def row(*values):
    return torch.tensor([values], dtype=F64)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name())
def test_drawn_instances_hold_and_the_counterexample_does_not(claim, seed):
    result = claim.check(seed)
    assert result.verdict is Verdict.HOLDS, result.sentence
    assert result.counterexample.fails and result.counterexample.broken


def test_gibbs_is_attained_by_a_fair_coin_and_false_for_the_pair_of_the_erratum():
    claim = gibbs_inequality.GibbsInequality()
    fair = claim.check_given(gibbs_inequality.Given(row(0.5, 0.5), row(0.5, 0.5)))
    assert fair.verdict is Verdict.HOLDS
    assert fair.predicted[0] == fair.measured[0].value == pytest.approx(math.log(2))
    pair = gibbs_inequality.Given(row(0.1, 0.1), row(0.5, 0.5))
    assert claim.check_given(pair).verdict is Verdict.INAPPLICABLE
    assert (claim.measure(pair)[0], claim.predict(pair)[0]) == (
        pytest.approx(0.139, abs=1e-3), pytest.approx(0.461, abs=1e-3),
    )  # fmt: skip


def test_four_equal_logits_are_wrong_in_three_of_four_draws():
    claim = expectation_loss.ExpectationLoss()
    given = expectation_loss.Given(row(0, 0, 0, 0), row(0, 1, 0, 0))
    result = claim.check_given(given)
    assert result.verdict is Verdict.HOLDS and result.predicted == (0.75, 0.75)


def test_a_soft_target_that_is_met_has_no_loss_and_many_differing_labels():
    claim = expectation_loss.ExpectationLoss()
    given = expectation_loss.Given(row(0, 0), row(0.5, 0.5))
    assert claim.predict(given).tolist() == [0, 0]
    assert claim.measure(given, generator(5))[0].read(0.99).value == pytest.approx(0.5, abs=0.01)


def test_saying_one_half_to_a_sure_thing_costs_one_half():
    given = brier_score.Given(q=row(1 - 1e-12, 1e-12), p=row(0.5, 0.5))
    result = brier_score.BrierScore().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(0.5)


def test_the_gradient_of_one_point_by_hand():
    """Equal logits of two classes, class 1, x = 2: (1/2 - 1) * 2 and 1/2 * 2."""
    given = cross_entropy_gradient.Given(torch.zeros(2, 1, dtype=F64), row(2), row(1, 0))
    result = cross_entropy_gradient.CrossEntropyGradient().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == pytest.approx((-1, 1, math.log(2)))


def test_the_numbers_of_the_erratum_about_two_classes():
    given = softmax_is_sigmoid.Given(torch.tensor([[0.7], [-0.3]], dtype=F64), row(1), row(1)[0])
    result = softmax_is_sigmoid.SoftmaxIsSigmoid().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(0.731, abs=5e-4)
    assert torch.sigmoid(torch.tensor(2.0)).item() == pytest.approx(0.881, abs=5e-4)


def test_points_on_a_line_leave_more_of_the_hessian_in_the_kernel():
    claim = softmax_shift.SoftmaxShift(d=2, k=2)
    zero = torch.zeros(2, 2, dtype=F64)
    given = softmax_shift.Given(zero, torch.tensor([[1.0, 0.0], [2.0, 0.0]], dtype=F64), zero)
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert claim.measure(given).measured[-1] == 3 / 2  # of 4 directions only one is curved


def test_the_average_has_unit_sums_and_is_no_permutation():
    claim = hidden_unit_permutation.HiddenUnitPermutation(m=4)
    given = claim.suppositions[1].without(claim.draw(0))
    result = claim.check_given(given)
    assert [h.holds for h in result.hypotheses] == [True, False]
    assert result.verdict is Verdict.INAPPLICABLE


def test_a_hinge_with_margin_one_half_is_no_bound():
    claim = surrogate_losses.SurrogateLosses()
    given = claim.given(torch.Generator().manual_seed(0))._replace(margin=0.5)
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert claim.measure(given)[len(given.m) :][: len(given.m) // 2 + 1].min() < 1


def test_one_two_nine_have_the_median_two_and_the_mean_four():
    y = torch.tensor([[1.0], [9.0], [2.0]], dtype=F64)
    given = median_and_mean.Given(y, torch.ones(3, dtype=F64))
    result = median_and_mean.MedianAndMean().check_given(given)
    assert result.verdict is Verdict.HOLDS and result.predicted == (2, 4)
    heavy = given._replace(weight=torch.tensor([1.0, 10.0, 1.0], dtype=F64))
    claim = median_and_mean.MedianAndMean()
    assert claim.check_given(heavy).verdict is Verdict.INAPPLICABLE
    assert claim.measure(heavy).tolist() == pytest.approx([9, 93 / 12])
