import pytest

from corollary.claims.networks.autoencoder_dynamics import (
    AutoencoderDynamics,
    autoencoder_dynamics,
)
from corollary.core import Verdict, generator


@pytest.mark.parametrize("seed", range(5))
def test_the_end_is_that_of_eckart_and_young_and_the_order_that_of_the_singular_values(seed):
    result = AutoencoderDynamics().check(seed)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(result.predicted[0], rel=1e-4)
    assert [m.value for m in result.measured[1:]] == [1.0, 2.0, 3.0]


def test_a_direction_with_half_the_variance_takes_twice_as_long():
    run = autoencoder_dynamics(AutoencoderDynamics(m=2).given(generator(0, "times")))
    first, second = ((run.learned[:, i] >= 0.5).int().argmax().item() for i in range(2))
    assert second / first == pytest.approx(2, rel=0.25)


def test_too_large_a_step_diverges_and_says_so():
    claim = AutoencoderDynamics()
    given = claim.counterexample(generator(0, "large"))
    assert autoencoder_dynamics(given).diverged
    refuted = claim.refute(0)
    assert refuted.fails
    assert "the step size is below 1/λ₁" in refuted.broken


def test_too_few_steps_are_said_to_be_too_few():
    result = AutoencoderDynamics(steps=100).check(0)
    assert result.verdict is Verdict.INAPPLICABLE
