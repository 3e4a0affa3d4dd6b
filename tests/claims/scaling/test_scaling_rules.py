import pytest

from corollary.claims.scaling.batch_efficiency import BatchEfficiency
from corollary.claims.scaling.linear_scaling_rule import LinearScalingRule
from corollary.claims.scaling.square_root_rule import SquareRootRule
from corollary.core import Verdict, generator


@pytest.mark.parametrize("k", [2, 4, 8])
def test_the_linear_rule_holds_for_several_factors(k):
    result = LinearScalingRule(k=k).check(k)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(1.0, abs=0.1)


def test_the_linear_rule_needs_a_rate_that_grows_with_the_batch():
    assert LinearScalingRule().refute(0).fails


def test_the_square_root_rule_of_adam_ends_where_noise_is_small():
    claim = SquareRootRule(examples=256, copies=2000)
    refuted = claim.refute(0)
    assert refuted.fails
    assert refuted.measured[0].value == pytest.approx(-0.5, abs=0.05)  # all steps have one length


def test_a_batch_of_the_critical_size_makes_half_of_the_progress():
    claim = BatchEfficiency(runs=1000)
    given = claim.given(generator(0))
    half, whole = claim.predict(given._replace(batches=(round(given.scale), 10**9)))
    assert half / whole == pytest.approx(0.5, abs=0.02)


def test_an_unadapted_learning_rate_breaks_the_progress():
    refuted = BatchEfficiency(runs=2000).refute(0)
    assert refuted.fails
    assert refuted.measured[0].value < 0  # the loss rises
