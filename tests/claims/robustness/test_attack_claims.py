import pytest
import torch
from torch import nn

from corollary.claims.robustness import linear_flip, linear_worst_case, robust_network
from corollary.claims.robustness.adversarial_training import AdversarialTraining
from corollary.claims.robustness.bernstein_sum import BernsteinSum
from corollary.claims.robustness.chi_square import ChiSquare, Given
from corollary.claims.robustness.danskin import DanskinTheorem
from corollary.claims.robustness.fgsm_gain import FgsmGain
from corollary.claims.robustness.finite_differences import FiniteDifferences
from corollary.claims.robustness.flip_remainder import FlipRemainder
from corollary.claims.robustness.gradient_norm import GradientNorm
from corollary.claims.robustness.gradient_square import GradientSquare
from corollary.claims.robustness.linear_adversarial_risk import LinearAdversarialRisk
from corollary.claims.robustness.polynomial_growth import PolynomialGrowth
from corollary.claims.robustness.projected_ascent import ProjectedAscent
from corollary.claims.robustness.random_directions import RandomDirections
from corollary.claims.robustness.robust_network import RobustNetwork
from corollary.claims.robustness.single_step_flip import SingleStepFlip
from corollary.claims.robustness.single_step_size import SingleStepSize
from corollary.claims.robustness.slope_moments import SlopeMoments
from corollary.claims.robustness.two_layer_normal import TwoLayerNormal
from corollary.claims.robustness.two_layer_variance import TwoLayerVariance
from corollary.core import Verdict, generator

HOLDS, INAPPLICABLE = Verdict.HOLDS, Verdict.INAPPLICABLE


def linear(weights: list[float]) -> nn.Linear:
    layer = nn.Linear(len(weights), 1, bias=False).double().requires_grad_(False)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([weights]))
    return layer


@pytest.mark.parametrize(
    "claim",
    [
        linear_worst_case.LinearWorstCase(norm="l2"),
        linear_worst_case.LinearWorstCase(norm="l1", d=5, n=2),
        ProjectedAscent(norm="linf", eps=0.3, steps=6),
        FgsmGain(d=5, m=8),
        FiniteDifferences(d=4, n=10),
        RandomDirections(d=10, q=(5, 10), trials=600),
        RobustNetwork(m=5, d=60),
        TwoLayerVariance(phi="tanh", widths=(2,), draws=2000),
        TwoLayerNormal(d=3),
        BernsteinSum(k=3),
        ChiSquare(version="laurent_massart", sizes=(1, 5, 50)),
        ChiSquare(version="sub_gaussian"),
        PolynomialGrowth(degree=2),
        SlopeMoments(orders=6),
        GradientNorm(dims=(100, 200), gamma=0.3),
        GradientSquare(phi="relu", dims=(5, 20)),
        SingleStepFlip(phi="linear", d=20, k=5),
        SingleStepSize(dims=(20, 40, 80, 160), draws=1000),
        linear_flip.LinearFlip(d=3),
        FlipRemainder(d=3, m=4, n=30),
        LinearAdversarialRisk(steps=2),
        DanskinTheorem(d=2),
    ],
)
def test_it_holds_for_drawn_instances(claim):
    for seed in (11, 12):
        assert claim.check_given(claim.draw(seed), seed=seed).verdict is HOLDS


def test_the_worst_margin_worked_by_hand():
    """x = (1, 1), w = (2, 1): margin 3; at radius 1 it falls by 3, by the root of 5, and by 2."""
    given = linear_worst_case.Given(linear([2.0, 1.0]), torch.ones(1, 2).double())
    for norm, left in (("linf", 0.0), ("l2", 3 - 5**0.5), ("l1", 1.0)):
        claim = linear_worst_case.LinearWorstCase(eps=1.0, norm=norm)
        assert claim.check_given(given).verdict is HOLDS
        assert claim.measure(given).item() == pytest.approx(left, abs=1e-12)


def test_the_flip_distance_worked_by_hand():
    """f = 3 x1 - 4 x2 at (5, 0): 15 over 5, 7 and 4."""
    given = linear_flip.Given(linear([3.0, -4.0]), torch.tensor([[5.0, 0.0]]).double())
    assert linear_flip.LinearFlip().measure(given) == pytest.approx([3, 15 / 7, 15 / 4])


def test_orthogonal_points_are_robust_to_half_their_length():
    x = 4 * torch.eye(16, dtype=torch.float64)
    given = robust_network.Given(x, x.new_ones(16), 0.0)
    result = RobustNetwork().check_given(given)
    assert result.verdict is HOLDS
    assert result.predicted[0] == 2.0 and result.measured[0].value == pytest.approx(2.0)


def test_near_points_with_opposite_labels_break_the_hypothesis():
    short, near = RobustNetwork(m=5, d=60).check(0, draw=False).counterexamples
    assert near.fails and near.broken == ("all correlations are at most c",)
    assert short.fails and short.measured[0].value < 1e-9


def test_the_bound_of_the_notes_is_exceeded_at_one_degree_of_freedom():
    claim, given = ChiSquare(), Given(((1, 1e-6), (1, 1e-4)))
    assert claim.check_given(given).verdict is INAPPLICABLE
    assert claim.measure(given) == pytest.approx([5.6e-5, 2.3e-4], rel=0.02)


def test_up_the_gradient_half_of_the_networks_keep_their_sign():
    refuted = SingleStepFlip(d=20, k=10, phi="linear").refute(0)
    assert refuted.fails and 0.4 < refuted.measured[0].value < 0.6


def test_standard_training_keeps_the_weak_features():
    claim = AdversarialTraining(sizes=(50, 100, 200, 400), steps=60, weak=20)
    given = claim.given(generator(0, "weak"))
    robust, plain = claim.trained(given, 400), claim.trained(given._replace(train_eps=0.0), 400)
    share = [float(w[1:].abs().sum() / w.abs().sum()) for w in (robust, plain)]
    assert share[0] < 0.1 and share[1] > 0.5
    assert claim.check_given(given._replace(train_eps=0.0)).verdict is INAPPLICABLE


def test_the_kink_of_the_adversarial_loss_is_found():
    for seed in range(3):
        refuted = DanskinTheorem(d=3).refute(seed)
        assert refuted.fails and refuted.broken == ("the maximiser is unique",)
