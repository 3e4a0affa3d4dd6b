import math

import pytest
import torch

from corollary.claims.regularization.growing_margin import GrowingMargin
from corollary.claims.regularization.homogeneous_euler import Given, HomogeneousEuler
from corollary.claims.regularization.homogeneous_kkt import HomogeneousKkt
from corollary.claims.regularization.kkt_margins import KktMargins
from corollary.core import Verdict, generator
from corollary.models.homogeneous import HomogeneousNet
from corollary.theory.regularization.homogeneous import margin_flow


def test_one_unit_worked_by_hand():
    """f = v relu(w x) with v = 3, w = 2, x = 1: the product is v w + w v = 12 = 2 f."""
    net = HomogeneousNet([1, 1, 1], rng=torch.Generator().manual_seed(0))
    with torch.no_grad():
        net.layers[0].W.fill_(2.0)
        net.layers[1].W.fill_(3.0)
    result = HomogeneousEuler().check_given(Given([net], torch.ones(1, 1).double()))
    assert result.verdict is Verdict.HOLDS
    assert (result.predicted, result.measured[0].value) == ((12.0,), 12.0)


@pytest.mark.parametrize("depth", [2, 6])
def test_euler_holds_for_drawn_networks(depth):
    assert HomogeneousEuler(depth=depth).check(1).verdict is Verdict.HOLDS


def test_the_margin_grows_under_the_exponential_loss_too():
    claim = GrowingMargin(loss="exponential", last=5.0, n=4, m=6)
    assert claim.check_given(claim.given(generator(0, "exp"))).verdict is Verdict.HOLDS


def test_before_every_point_is_right_the_margin_claim_does_not_apply():
    claim = GrowingMargin(last=4.0, n=4, m=6, step=0.1)
    given = claim.given(generator(0, "early"))
    result = claim.check_given(given._replace(first=0))
    assert result.verdict is Verdict.INAPPLICABLE
    assert [h.holds for h in result.hypotheses] == [True, False]


def test_a_network_with_an_output_bias_is_not_homogeneous():
    refuted = GrowingMargin(last=6.0).refute(1)
    assert refuted.fails and "the network is homogeneous" in refuted.broken


def test_few_points_and_units_end_at_a_kkt_point():
    assert HomogeneousKkt(n=4, d=3, m=4).check(2).verdict is Verdict.HOLDS


def test_two_starts_have_margins_known_in_closed_form_and_both_are_kkt_points():
    claim = KktMargins(angle=110.0)
    given = claim.given(generator(0, "margins"))
    result = claim.check_given(given)
    assert result.verdict is Verdict.HOLDS
    shared, separate = (claim.flow(given.x, w) for w in (given.shared, given.separate))
    assert float(shared.normalised(2)[-1]) == pytest.approx(
        math.cos(math.radians(55)) / 2, rel=1e-3
    )
    assert float(separate.normalised(2)[-1]) == pytest.approx(1 / 4, rel=1e-3)
    assert float(shared.kkt[-1]) < 0.01 and float(separate.kkt[-1]) < 0.01


def test_the_linear_model_has_one_limit_from_every_start():
    x = KktMargins().given(generator(0, "linear")).x
    s, margins = torch.tensor([200.0]).double(), []
    for seed in range(3):
        net = HomogeneousNet([2, 1], rng=torch.Generator().manual_seed(seed))
        flow = margin_flow(net, x, x.new_ones(2), s, degree=1, step=0.5)
        margins.append(float(flow.normalised(1)[-1]))
    assert margins == pytest.approx([math.cos(math.radians(50))] * 3, rel=1e-2)
