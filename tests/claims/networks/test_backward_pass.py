"""Backpropagation, its cost, and the three-layer network: by hand and broken."""

import pytest
import torch

from corollary.claims.networks import backprop_correctness, mlp3_gradients
from corollary.claims.networks.backprop_correctness import BackpropCorrectness
from corollary.claims.networks.backprop_cost import BackpropCost, cost_ratio
from corollary.claims.networks.mlp3_descent import MLP3Descent
from corollary.claims.networks.mlp3_gradients import MLP3Gradients
from corollary.core import Verdict
from corollary.models.mlp3 import MLP3
from corollary.theory.networks.activations import LINEAR, RELU
from corollary.theory.networks.backprop import Layer

F64 = torch.float64


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "claim",
    [BackpropCorrectness(), BackpropCorrectness(phi="sigmoid", L=7), BackpropCost(),
     MLP3Gradients(), MLP3Descent()],
    ids=lambda claim: claim.name(),
)  # fmt: skip
def test_drawn_instances_hold_and_the_counterexample_does_not(claim, seed):
    result = claim.check(seed)
    assert result.verdict is Verdict.HOLDS, result.sentence
    assert result.counterexample.fails and result.counterexample.broken


def one(value):
    return torch.tensor([[float(value)]], dtype=F64)


def test_one_linear_unit_by_hand():
    """f = 2 * 3 + 1 = 7 against y = 4: dL/dW = 3 * 3, dL/db = 3."""
    layer = Layer(one(2), torch.ones(1, dtype=F64), LINEAR)
    along = [[Layer(one(1), torch.zeros(1, dtype=F64), LINEAR)],
             [Layer(one(0), torch.ones(1, dtype=F64), LINEAR)]]  # fmt: skip
    given = backprop_correctness.Given([layer], one(3), one(4), along)
    result = BackpropCorrectness().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == (9, 3)


def test_at_a_kink_the_quotient_is_half_the_slope():
    """f = relu(b) at b = 0 with y = -1: the sides have slopes 1 and 0, backpropagation says 0."""
    layer = Layer(one(1), torch.zeros(1, dtype=F64), RELU)
    along = [[Layer(one(0), torch.ones(1, dtype=F64), RELU)]]
    given = backprop_correctness.Given([layer], one(0), one(-1), along)
    claim = BackpropCorrectness()
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert claim.predict(given) == [0]
    assert claim.measure(given)[0] == pytest.approx(0.5, rel=1e-3)


@pytest.mark.parametrize("widths, ratio", [([3, 5], 1.0), ([4, 4, 4], 1.5), ([2, 3, 4], 5 / 3)])
def test_the_cost_is_two_minus_the_share_of_the_first_layer(widths, ratio):
    pairs = list(zip(widths, widths[1:], strict=False))
    net = [Layer(torch.ones(m, n, dtype=F64), torch.zeros(m, dtype=F64), RELU) for n, m in pairs]
    exact = 2 - widths[0] * widths[1] / sum(n * m for n, m in pairs)
    assert cost_ratio(net, torch.ones(6, widths[0], dtype=F64), 1) == pytest.approx(exact)
    assert exact == pytest.approx(ratio)


def test_one_hidden_unit_at_zero_by_hand():
    """w = 0: hidden 1/2, f = 1, error 1, dL/dbeta = 1/2, dL/dw = 2 * x / 4."""
    net = MLP3.of(torch.tensor([2.0], dtype=F64), one(0))
    given = mlp3_gradients.Given(net, one(3), torch.zeros(1, dtype=F64), torch.sigmoid)
    result = MLP3Gradients().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == (0.5, 1.5)


def test_the_step_of_the_opposite_error_raises_the_loss():
    claim = MLP3Descent()
    given = claim.suppositions[0].without(claim.draw(0))
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert claim.measure(given).values[-1] == pytest.approx(-1, abs=0.01)
