import math

import numpy as np
import pytest
from scipy import stats

from corollary.core import Sample
from corollary.errors import InputError
from corollary.theory.confidence.mean import Mean, mean_of, skewness_error, student

LAWS = {  # name: (draw, mean)
    "normal": (lambda rng, shape: rng.standard_normal(shape), 0.0),
    "uniform": (lambda rng, shape: rng.random(shape), 0.5),
    "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0),
    "squared normal": (lambda rng, shape: rng.standard_normal(shape) ** 2, 1.0),
    "minus exponential": (lambda rng, shape: -rng.exponential(size=shape), -1.0),
}


def test_the_moments_are_those_of_scipy():
    draws = np.random.default_rng(0).exponential(size=50)
    found = mean_of(draws.tolist())
    assert found.value == pytest.approx(draws.mean())
    assert found.error == pytest.approx(stats.sem(draws))
    assert found.skewness == pytest.approx(stats.skew(draws, bias=False))


@pytest.mark.parametrize(("n", "wider"), [(2, 1.0), (12, 1.1), (400, 1.003)])
def test_without_skewness_the_interval_is_students_or_what_few_draws_may_hide(n, wider):
    draws = np.random.default_rng(0).standard_normal(n // 2)
    draws = np.concatenate([draws, -draws])
    theirs = stats.t.interval(0.99, n - 1, draws.mean(), stats.sem(draws))
    low, high = mean_of(draws.tolist()).interval(0.99)
    assert 1 - 1e-12 <= high / theirs[1] <= wider + 1e-12
    assert low == pytest.approx(-high)
    assert student(n - 1, 0.99) == pytest.approx(stats.t.ppf(0.995, n - 1))


def test_the_error_of_the_skewness_is_its_spread_over_normal_samples():
    samples = np.random.default_rng(0).standard_normal((20_000, 8))
    spread = stats.skew(samples, axis=1, bias=False).std()
    assert skewness_error(8) == pytest.approx(spread, rel=0.03)  # 20,000 draws of a heavy tail


def test_the_long_tail_gets_the_longer_side():
    low, high = Mean(1.0, 0.1, 2.0, 20).interval(0.95)
    assert high - 1.0 > 1.0 - low == pytest.approx(0.1 * student(19, 0.95))
    mirrored = Mean(-1.0, 0.1, -2.0, 20).interval(0.95)
    assert mirrored == pytest.approx((-high, -low))


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e140])
def test_the_scale_of_the_draws_does_not_matter(scale):
    draws = [1.0, 2.0, 5.0, 3.0]
    plain, scaled = (Sample([f * v for v in draws]).read(0.95) for f in (1.0, scale))
    assert (scaled.low / scale, scaled.high / scale) == pytest.approx((plain.low, plain.high))


def test_equal_draws_have_no_width_and_a_run_that_diverged_no_ends():
    assert mean_of([2.0, 2.0, 2.0]).interval() == (2.0, 2.0)
    assert mean_of([1.0, math.inf]).interval() == (-math.inf, math.inf)
    assert mean_of([1.0, math.nan]).interval() == (-math.inf, math.inf)
    assert mean_of([1.0]).interval() == (-math.inf, math.inf)
    with pytest.raises(InputError, match="got none"):
        mean_of([])
    with pytest.raises(InputError, match="level between 0 and 1"):
        mean_of([1.0, 2.0]).interval(1.0)


@pytest.mark.parametrize("law", LAWS)
def test_three_hundred_intervals_from_twenty_draws_cover(law):
    draw, truth = LAWS[law]
    ends = [mean_of(row).interval() for row in draw(np.random.default_rng(0), (300, 20)).tolist()]
    hits = sum(low <= truth <= high for low, high in ends)
    # 95 % less four standard deviations of a share of 300; Student's finds 89 % for squares
    assert hits / 300 >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / 300)
