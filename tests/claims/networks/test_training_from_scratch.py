"""The scratch network, the approximation of a function and weight decay: by hand and broken."""

import numpy as np
import pytest

from corollary.claims.networks import weight_decay_fixed_points
from corollary.claims.networks.double_division import DoubleDivision
from corollary.claims.networks.function_approximation import NEW, FunctionApproximation, target
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
    assert claim.measure(given) == pytest.approx(claim.run(given, 0.25, False))


def test_the_parabola_of_the_notes_ends_at_one_over_eleven_tenths_and_at_one_half():
    given = weight_decay_fixed_points.Given(np.ones((1, 1)), np.ones(1), 0.1, 0.1)
    result = WeightDecayFixedPoints().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == pytest.approx((1 / 1.1, 0.5))


def test_with_squares_the_error_stays_above_that_of_the_best_parabola():
    claim = FunctionApproximation(runs=2)
    given = claim.suppositions[0].without(claim.draw(0))
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    x, y = NEW[:, 0].numpy(), target(NEW)[:, 0].numpy()
    best = np.polynomial.Polynomial.fit(x, y, 2)
    floor = float(np.sqrt(np.mean((best(x) - y) ** 2)))
    errors = claim.measure(given, generator(0)).measured.values
    assert min(errors) >= floor > 0.3


def test_a_trained_network_of_fifty_tanh_units_is_within_five_hundredths_on_new_points():
    result = FunctionApproximation().check_given(FunctionApproximation().draw(1))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].high < 0.05
