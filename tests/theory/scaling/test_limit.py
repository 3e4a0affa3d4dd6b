"""The interval for the exponent of the limit covers, where a straight line does not."""

import math

import numpy as np
import pytest

from corollary.core.power_law import loglog_fit
from corollary.errors import InputError
from corollary.theory.scaling.limit import limit_exponent, slope_weights

WIDTHS = np.array([64.0, 128.0, 256.0, 512.0])
TRIALS = 300


def covers(b, r, sigma, interval):
    """How often an interval for the exponent 1/2 contains it."""
    rng = np.random.default_rng(0)
    exact = WIDTHS**0.5 * (1 + b * (WIDTHS / WIDTHS[0]) ** -r)
    draws = exact * np.exp(sigma * rng.standard_normal((TRIALS, 5, len(WIDTHS))))
    found = [interval(WIDTHS.tolist(), runs.tolist()) for runs in draws]
    return sum(low <= 0.5 <= high for low, high in found) / TRIALS


def straight(widths, runs):
    fit = loglog_fit(widths * len(runs), [value for row in runs for value in row])
    return fit.low, fit.high


# Three standard errors of a rate of 95 % over 300 trials, below it.
LEAST = 0.95 - 3 * math.sqrt(0.95 * 0.05 / TRIALS)


@pytest.mark.parametrize("sigma", [0.02, 0.1])
@pytest.mark.parametrize(("b", "r"), [(0, 1), (0.1, 0.5), (-0.1, 0.5), (0.3, 1), (-0.3, 1)])
def test_the_interval_covers_the_exponent_of_the_limit(b, r, sigma):
    assert covers(b, r, sigma, limit_exponent) >= LEAST


def test_the_interval_of_a_straight_line_does_not():
    assert covers(0.3, 1, 0.02, straight) < 0.1


def test_weights_remove_their_own_correction_only():
    weights = slope_weights(WIDTHS, 1.0)
    assert weights @ (1 / WIDTHS) == pytest.approx(0, abs=1e-12)
    assert abs(weights @ WIDTHS**-0.5) > 1e-3


def test_one_seed_or_three_widths_leave_the_limit_open():
    assert limit_exponent([1, 2, 4, 8], [[1, 2, 4, 8]]) == (-math.inf, math.inf)
    assert limit_exponent([1, 2, 4], [[1, 2, 4], [1, 2, 4]]) == (-math.inf, math.inf)


def test_a_correction_needs_a_positive_exponent():
    with pytest.raises(InputError, match="expected r > 0"):
        slope_weights([1.0, 2.0, 4.0, 8.0], math.nan)
