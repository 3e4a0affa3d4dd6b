import math

import numpy as np
import pytest

from corollary.errors import InputError
from corollary.theory.scaling.law import extrapolation_test, fit_scaling_law
from corollary.theory.scaling.power_spectrum import (
    descent_losses,
    power_spectrum,
    sample_exponent,
    sample_loss,
    step_exponent,
)

SIZES = 2.0 ** np.arange(4, 13)


def noisy(rng, error=0.01):
    return (2 + 8 * SIZES**-0.4) * np.exp(error * rng.standard_normal(len(SIZES)))


def test_a_law_without_noise_is_found():
    law = fit_scaling_law(SIZES, 2 + 8 * SIZES**-0.4)
    assert law.exponent.value == pytest.approx(0.4, rel=1e-3)
    assert law.floor.value == pytest.approx(2.0, rel=1e-3)
    assert law.size_for(2 + 8 / 100).value == pytest.approx(100**2.5, rel=2e-2)
    assert "x^-0.4" in str(law)


def test_intervals_contain_the_truth_as_often_as_they_say():
    rng, hits = np.random.default_rng(0), np.zeros(3)
    for _ in range(60):
        test = extrapolation_test(SIZES, noisy(rng))
        hits += [test.holds, 0.4 in test.law.exponent, 2.0 in test.law.floor]
    assert (hits >= 51).all()  # 57 expected of 60; fewer than 51 in one of 100 runs at most


def test_without_a_floor_the_interval_of_the_floor_begins_at_zero():
    rng = np.random.default_rng(1)
    law = fit_scaling_law(SIZES, 8 * SIZES**-0.4 * np.exp(0.02 * rng.standard_normal(9)))
    assert law.floor.low == 0
    assert 0.4 in law.exponent


def test_a_loss_below_the_floor_is_never_reached():
    law = fit_scaling_law(SIZES, 2 + 8 * SIZES**-0.4)
    assert math.isinf(law.size_for(1.5).low)


def test_a_curve_that_bends_away_fails_the_extrapolation():
    losses = 8 * SIZES**-0.4
    losses[-1] *= 1.3  # the largest run has saturated
    assert not extrapolation_test(SIZES, losses * (1 + 0.003 * (-1.0) ** np.arange(9))).holds


def test_gradient_descent_on_a_power_law_spectrum_has_its_exponent():
    spectrum = power_spectrum(1.5, 2.0, 20_000)
    steps = [2**k for k in range(3, 11)]
    law = fit_scaling_law(steps, descent_losses(spectrum, 1.0, steps).tolist())
    assert law.exponent.value == pytest.approx(step_exponent(1.5, 2.0), abs=0.05)
    longer = float(descent_losses(spectrum, 1.0, [2**12])[0])
    assert law.predict(2**12).value == pytest.approx(longer, rel=0.05)


def test_least_norm_solutions_on_a_power_law_spectrum_have_their_exponent():
    spectrum, sizes = power_spectrum(1.5, 2.0, 1000), (16, 32, 64, 128)
    losses = [np.mean([sample_loss(spectrum, n, rng=k) for k in range(6)]) for n in sizes]
    slope = np.polyfit(np.log(sizes), np.log(losses), 1)[0]
    assert slope == pytest.approx(-sample_exponent(1.5, 2.0), abs=0.25)


def test_too_few_sizes_and_wrong_losses_are_refused():
    with pytest.raises(InputError, match="expected losses at 5 or more different sizes"):
        fit_scaling_law([1, 2, 3, 4], [4, 3, 2, 1])
    with pytest.raises(InputError, match="positive and finite"):
        fit_scaling_law([1, 2, 3, 4, 5], [4, 3, 2, 1, math.nan])
