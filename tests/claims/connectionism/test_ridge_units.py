"""Ridge functions and threshold units: cases by hand."""

import pytest
import torch

from corollary.claims.connectionism import ridge_gradient, ridge_invariance, ridge_rate_of_change
from corollary.claims.connectionism.ridge_gradient import RidgeGradient
from corollary.claims.connectionism.ridge_invariance import RidgeInvariance
from corollary.claims.connectionism.ridge_rate_of_change import RidgeRateOfChange, activation
from corollary.claims.connectionism.threshold_gradient import ThresholdGradient
from corollary.core import Verdict, generator

F64 = torch.float64


def tensor(*values):
    return torch.tensor(values, dtype=F64)


@pytest.mark.parametrize(
    "claim",
    [
        *(RidgeInvariance(phi=phi) for phi in ridge_invariance.PHI),
        *(RidgeRateOfChange(phi=phi) for phi in ("sigmoid", "softplus", "relu")),
        RidgeGradient(n=3, d=4, steps=20),
        ThresholdGradient(n=5, d=1, m=1, steps=3),
    ],
)
def test_it_holds_at_other_sizes_and_activations(claim):
    assert claim.check(3, draw=False).verdict is Verdict.HOLDS


def test_a_unit_along_the_first_axis_sees_only_the_first_coordinate():
    given = ridge_invariance.Given(tensor(2.0, 0.0), tensor([1.0, 5.0]), tensor([0.0, 100.0]))
    result = RidgeInvariance(phi="relu").check_given(given)
    assert (result.verdict, result.measured[0].value) == (Verdict.HOLDS, 2.0)


def test_a_slanted_displacement_makes_the_claim_inapplicable():
    given = ridge_invariance.Given(tensor(2.0, 0.0), tensor([1.0, 5.0]), tensor([1e-6, 100.0]))
    assert RidgeInvariance().check_given(given).verdict is Verdict.INAPPLICABLE


def test_the_rate_at_zero_is_a_quarter_of_the_length_for_the_sigmoid():
    given = ridge_rate_of_change.Given(tensor(3.0, 4.0), tensor([0.0, 0.0]), *activation("sigmoid"))
    result = RidgeRateOfChange().check_given(given)
    assert result.predicted == (1.25,) and result.measured[0].value == pytest.approx(1.25)


def test_a_point_at_the_kink_of_relu_makes_the_claim_inapplicable():
    given = ridge_rate_of_change.Given(tensor(3.0, 4.0), tensor([4.0, -3.0]), *activation("relu"))
    assert RidgeRateOfChange().check_given(given).verdict is Verdict.INAPPLICABLE


def test_one_point_is_a_line_that_descent_never_leaves():
    given = ridge_gradient.Given(tensor([1.0, 0.0]), tensor(0.5), tensor(0.0, 7.0))
    result = RidgeGradient(steps=5).check_given(given)
    assert result.measured[-1].value == 0.0  # the part of the way outside the line


def test_a_point_on_the_jump_makes_the_claim_inapplicable():
    claim = ThresholdGradient()
    given = claim.given(generator(0))
    at_jump = given._replace(W=0 * given.W, b=0 * given.b)
    assert claim.check_given(at_jump).verdict is Verdict.INAPPLICABLE


def test_the_output_layer_of_a_threshold_network_does_learn():
    claim = ThresholdGradient()
    kept = claim.trial(claim.draw(0)).kept
    assert kept.v[-1] > 0.1 and kept.W[-1] == 0
