"""The scratch network, the approximation of a function and weight decay: by hand and broken."""

import numpy as np
import pytest
import torch

from corollary.claims.networks import function_approximation, weight_decay_fixed_points
from corollary.claims.networks.double_division import DoubleDivision
from corollary.claims.networks.function_approximation import FunctionApproximation, target
from corollary.claims.networks.scratch_training_run import ScratchTrainingRun
from corollary.claims.networks.weight_decay_fixed_points import WeightDecayFixedPoints
from corollary.core import Verdict, generator


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "claim",
    [DoubleDivision(), ScratchTrainingRun(m=16, steps=60), WeightDecayFixedPoints()],
    ids=lambda claim: claim.name(),
)
def test_drawn_instances_hold_and_the_counterexample_does_not(claim, seed):
    result = claim.check(seed)
    assert result.verdict is Verdict.HOLDS, result.sentence
    assert result.counterexample.fails and result.counterexample.broken


def test_for_one_point_of_each_class_the_second_division_halves_the_step():
    claim = DoubleDivision(n=1, m=4, eta=0.5, steps=5)
    given = claim.given(generator(0))
    assert claim.measure(given) == pytest.approx(given.run(4, 5, 0.25, False).losses)


def test_the_parabola_of_the_notes_ends_at_one_over_eleven_tenths_and_at_one_half():
    given = weight_decay_fixed_points.Given(np.ones((1, 1)), np.ones(1), 0.1, 0.1)
    result = WeightDecayFixedPoints().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == pytest.approx((1 / 1.1, 0.5))


def test_with_squares_the_error_stays_above_that_of_the_best_parabola():
    claim = FunctionApproximation(steps=800)
    given = claim.counterexample(generator(0))
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    x, y = given.new[:, 0].numpy(), target(given.new)[:, 0].numpy()
    best = np.polynomial.Polynomial.fit(x, y, 2)
    floor = float(np.sqrt(np.mean((best(x) - y) ** 2)))
    assert claim.measure(given) >= floor > 0.3


def test_a_trained_network_of_fifty_tanh_units_is_within_five_hundredths_on_new_points():
    claim = FunctionApproximation(steps=800)
    given = claim.given(generator(1))
    error = claim.measure(given)
    assert claim.relation.compare(claim.predict(given), error).verdict is Verdict.HOLDS
    net, history = function_approximation.trained(given, 800)
    assert history["loss"][-1] < 0.01 * history["loss"][0]
    assert net.representations(given.new)[1].shape == (200, 50)
    assert torch.equal(net.representations(given.new)[-1], net(given.new))
