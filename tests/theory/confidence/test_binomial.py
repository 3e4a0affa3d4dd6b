import numpy as np
import pytest
from scipy.stats import binom, binomtest

from corollary.core import Count
from corollary.errors import InputError
from corollary.theory.confidence.binomial import lower_limit, upper_limit

CASES = [
    (7, 10, 0.05),
    (995, 1000, 0.001),
    (1, 3, 0.2),
    (0, 5, 0.1),
    (5, 5, 0.1),
    (3, 10_000, 0.01),
]


@pytest.mark.parametrize("hits, trials, alpha", CASES)
def test_the_limits_are_those_of_scipy(hits, trials, alpha):
    above, below = (
        binomtest(hits, trials, alternative=side).proportion_ci(1 - alpha)
        for side in ("greater", "less")
    )
    assert float(lower_limit(hits, trials, alpha)) == pytest.approx(above.low)
    assert float(upper_limit(hits, trials, alpha)) == pytest.approx(below.high)


@pytest.mark.parametrize("trials", [1, 7, 40])
@pytest.mark.parametrize("p", [0.0, 0.03, 0.5, 0.77, 1.0])
def test_the_limits_hold_exactly_for_every_probability(trials, p):
    """The probability of all counts whose limit is right, summed, not simulated."""
    k = np.arange(trials + 1)
    weight = binom.pmf(k, trials, p)
    for right in (lower_limit(k, trials, 0.05) <= p, upper_limit(k, trials, 0.05) >= p):
        assert weight[right].sum() >= 0.95


def test_a_count_is_read_with_both_limits():
    reading = Count(7, 10).read(0.9)
    assert reading.low == float(lower_limit(7, 10, 0.05))
    assert reading.high == float(upper_limit(7, 10, 0.05))


@pytest.mark.parametrize(
    "wrong", [(-1, 5, 0.1), (6, 5, 0.1), (0, 0, 0.1), (1, 5, 0.0), (1, 5, 1.0)]
)
def test_impossible_counts_are_refused(wrong):
    for limit in (lower_limit, upper_limit):
        with pytest.raises(InputError, match="expected 0 <= hits <= trials"):
            limit(*wrong)
