import pytest

from corollary.claims.networks.autoencoder_dynamics import AutoencoderDynamics
from corollary.core import Verdict, generator


@pytest.mark.parametrize("seed", range(3))
def test_the_end_is_that_of_eckart_and_young_and_the_order_that_of_the_singular_values(seed):
    result = AutoencoderDynamics(runs=2).check(seed)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(result.predicted[0], rel=1e-6)
    assert [m.value for m in result.measured[1:]] == [1.0, 2.0, 3.0]
    large, few = result.counterexamples
    assert large.fails and "the step size is below 1/λ₁" in large.broken
    assert few.fails and few.broken == ("there are enough steps to learn the last direction",)


def test_a_direction_with_half_the_variance_takes_twice_as_long():
    claim = AutoencoderDynamics(m=2, runs=2)
    learned = claim.measure(claim.draw(0), generator(0, "times")).more.learned
    first, second = ((learned[:, i] >= 0.5).int().argmax().item() for i in range(2))
    assert second / first == pytest.approx(2, rel=0.25)


def test_too_few_steps_are_said_to_be_too_few():
    result = AutoencoderDynamics(steps=100).check(0)
    assert result.verdict is Verdict.INAPPLICABLE
