"""Sigmoid, tanh, McCulloch-Pitts and rings: cases by hand."""

import pytest
import torch
from torch import nn

from corollary.claims.connectionism.coordinate_change import CoordinateChange
from corollary.claims.connectionism.coordinate_change import Given as Rings
from corollary.claims.connectionism.mcculloch_pitts import McCullochPittsReach, parity, reachable
from corollary.claims.connectionism.sigmoid_derivatives import Given as Sigmoid
from corollary.claims.connectionism.sigmoid_derivatives import SigmoidDerivatives
from corollary.claims.connectionism.tanh_is_logistic import Given as Network
from corollary.claims.connectionism.tanh_is_logistic import TanhIsLogistic
from corollary.core import Verdict, generator

F64 = torch.float64


@pytest.mark.parametrize(
    "claim",
    [
        SigmoidDerivatives(order=6, reach=20.0),
        TanhIsLogistic(L=1, m=3),
        TanhIsLogistic(L=6),
        McCullochPittsReach(n=6),
        CoordinateChange(n=8, noise=0.0),
    ],
)
def test_it_holds_at_other_sizes(claim):
    assert claim.check_given(claim.draw(2), draw=False).verdict is Verdict.HOLDS


def test_the_first_derivatives_at_zero_are_a_quarter_zero_and_minus_an_eighth():
    given = Sigmoid(torch.zeros(1, dtype=F64), 0.0, 1.0)
    result = SigmoidDerivatives(order=3).check_given(given)
    assert result.predicted == pytest.approx((0.25, 0.0, -0.125))
    assert result.verdict is Verdict.HOLDS


def test_a_steeper_sigmoid_is_not_what_the_claim_is_about():
    given = Sigmoid(torch.zeros(1, dtype=F64), 0.0, 2.0)
    assert SigmoidDerivatives().check_given(given).verdict is Verdict.INAPPLICABLE


def test_without_an_output_bias_the_twin_is_off_by_the_sum_of_the_output_weights():
    net = nn.Sequential(nn.Linear(1, 1), nn.Tanh(), nn.Linear(1, 1, bias=False)).double()
    given = Network(net, torch.linspace(-1, 1, 5, dtype=F64)[:, None])
    claim = TanhIsLogistic()
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    off = [m - p for m, p in zip(claim.measure(given), claim.predict(given), strict=True)]
    assert off == pytest.approx([net[2].weight.item()] * 5)


def test_two_inputs_give_ten_functions_and_fourteen_with_absent_synapses():
    assert len(reachable(2, (-1, 1))) == 10
    assert len(reachable(2, (-1, 0, 1))) == 14
    assert parity(2) == (0, 1, 1, 0)
    assert parity(2) not in reachable(2, (-1, 0, 1))


def test_half_a_ring_is_not_what_the_claim_is_about():
    given = CoordinateChange().given(generator(0))
    right = given.x[:, 0] > 0.1
    half = Rings(given.x[right], given.y[right])
    assert CoordinateChange().check_given(half).verdict is Verdict.INAPPLICABLE


def test_overlapping_rings_stay_inseparable_after_the_change():
    broken = CoordinateChange().check(0).counterexamples[1]
    assert [m.value for m in broken.measured] == [0, 0, 0]
