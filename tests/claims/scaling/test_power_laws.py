import pytest

from corollary.claims.scaling.descent_power_law import DescentPowerLaw
from corollary.claims.scaling.sample_power_law import SamplePowerLaw
from corollary.core import Verdict


@pytest.mark.parametrize(("a", "b"), [(1.5, 2.0), (2.0, 3.0), (1.2, 1.6)])
def test_the_loss_over_steps_is_the_power_that_theory_gives(a, b):
    result = DescentPowerLaw(a=a, b=b).check(0)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == pytest.approx(-(b - 1) / a)


def test_a_short_spectrum_breaks_the_law_of_the_steps():
    assert DescentPowerLaw().refute(0).fails


def test_label_noise_breaks_the_law_of_the_data():
    refuted = SamplePowerLaw(d=500, draws=4).refute(0)
    assert refuted.fails
    assert abs(refuted.measured[0].value) < 0.2  # the noise is interpolated at every size
