import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.core import (
    Count,
    Sample,
    Series,
    Verdict,
    at_least,
    at_most,
    converges,
    equals,
    slope,
    within_interval,
)
from corollary.errors import InputError

reals = st.floats(-1e6, 1e6)
HOLDS, FAILS, INCONCLUSIVE = Verdict.HOLDS, Verdict.FAILS, Verdict.INCONCLUSIVE


@given(reals, reals)
def test_a_bound_without_tolerance_is_the_order_of_the_reals(p, m):
    assert (at_most().compare(p, m).verdict is HOLDS) == (m <= p)
    assert (at_least().compare(p, m).verdict is HOLDS) == (m >= p)


@given(reals, reals)
def test_a_swapped_bound_holds_exactly_when_the_bound_does_not(p, m):
    for relation in (at_most(), at_least()):
        straight = relation.compare(p, m).verdict is HOLDS
        assert (relation.swapped().compare(p, m).verdict is HOLDS) != straight


@given(st.floats(1e-3, 1e3), st.floats(1e-2, 1.0))
def test_mutants_of_a_loose_bound_that_is_within_a_thousand_fail(p, fraction):
    for mutant in at_most().mutants(p, loose=True):
        assert at_most().compare(mutant, p * fraction).verdict is FAILS
    for mutant in at_least().mutants(p, loose=True):
        assert at_least().compare(mutant, p / fraction).verdict is FAILS


@given(st.floats(1e-3, 1e3), st.floats(0.5, 1.0))
def test_mutants_of_a_bound_that_is_attained_within_a_factor_of_two_fail(p, fraction):
    for mutant in at_most().mutants(p):
        assert at_most().compare(mutant, p * fraction).verdict is FAILS
    for mutant in at_least().mutants(p):
        assert at_least().compare(mutant, p / fraction).verdict is FAILS


def test_rounding_is_forgiven_in_units_of_the_last_place():
    above = 1.0 + 4 * 2**-52
    assert at_most(ulps=8).compare(1.0, above).verdict is HOLDS
    assert at_most(ulps=2).compare(1.0, above).verdict is FAILS
    assert equals(ulps=8).compare(1.0, above).verdict is HOLDS


def test_a_sum_that_cancels_needs_the_scale_of_its_terms():
    assert equals(ulps=8).compare(0.0, 1e-16).verdict is FAILS
    assert equals(ulps=8, scale=1.0).compare(0.0, 1e-16).verdict is HOLDS


# A thousandth of a subnormal number is rounded away.
@given(reals.filter(lambda p: p == 0 or abs(p) > 1e-300))
def test_equality_notices_a_thousandth(p):
    for mutant in equals(ulps=8).mutants(p):
        assert equals(ulps=8).compare(mutant, p).verdict is FAILS


def test_the_worst_entry_of_a_list_decides_and_gives_the_ratio():
    comparison = at_most().compare([1.0, 10.0], [0.5, 9.0])
    assert comparison.verdict is HOLDS and comparison.worst == 1
    assert comparison.ratio == pytest.approx(0.9)


def test_nan_never_holds():
    for relation in (at_most(), at_least(), equals()):
        assert relation.compare(1.0, math.nan).verdict is FAILS
        assert relation.compare(math.nan, 1.0).verdict is FAILS


def test_infinity_equals_itself_and_nothing_else():
    for p, m in ((1.0, math.inf), (math.inf, 1.0), (math.inf, -math.inf)):
        assert equals(ulps=8).compare(p, m).verdict is FAILS
    assert equals().compare(math.inf, math.inf).verdict is HOLDS


def test_an_infinite_bound_holds_for_everything_finite_and_itself():
    assert at_most().compare(math.inf, 5.0).verdict is HOLDS
    assert at_most().compare(math.inf, math.inf).verdict is HOLDS


@pytest.mark.parametrize(("hits", "verdict"), [(0, HOLDS), (8, INCONCLUSIVE), (40, FAILS)])
def test_a_failure_rate_is_judged_by_its_exact_interval(hits, verdict):
    assert at_most(level=0.99).compare(0.1, Count(hits, 100)).verdict is verdict


def test_intervals_widen_with_the_number_of_comparisons():
    one = within_interval(resolution=1.0).compare(0.5, Count(60, 100)).measured[0]
    many = within_interval(resolution=1.0).compare([0.5] * 10, [Count(60, 100)] * 10).measured[0]
    assert many.low < one.low and many.high > one.high


def test_too_few_draws_are_inconclusive_rather_than_true():
    few = within_interval(resolution=0.01).compare(0.5, Count(5, 10))
    assert few.verdict is INCONCLUSIVE and "more draws" in few.note


def test_intervals_agree_with_scipy():
    from scipy import stats

    exact = stats.binomtest(7, 50).proportion_ci(0.95, method="exact")
    ours = Count(7, 50).read(0.95)
    assert (ours.low, ours.high) == pytest.approx((exact.low, exact.high))
    draws = [0.3, 1.2, -0.4, 2.2, 0.9]
    draws += [1.0 - v for v in draws]  # symmetric: about Student's
    low, high = stats.t.interval(0.95, 9, stats.tmean(draws), stats.sem(draws))
    ours = Sample(draws).read(0.95)
    assert ours.low < low < high < ours.high  # ten draws may hide some skewness
    assert ours.high - ours.low < 1.2 * (high - low)


def test_a_slope_agrees_with_scipy_and_is_judged_by_its_interval():
    from scipy import stats

    sizes = [8, 16, 32, 64, 128]
    values = [s**-0.5 * f for s, f in zip(sizes, [1.02, 0.99, 1.0, 1.01, 0.98], strict=True)]
    fit = stats.linregress([math.log(s) for s in sizes], [math.log(v) for v in values])
    comparison = slope(gap=0.05).compare(-0.5, Series(sizes, values))
    assert comparison.verdict is HOLDS
    assert comparison.measured[0].value == pytest.approx(fit.slope)
    assert slope(gap=0.05).compare(-1.0, Series(sizes, values)).verdict is FAILS
    assert slope(gap=0.05, side=-1).compare(-0.3, Series(sizes, values)).verdict is HOLDS
    assert slope(gap=0.05, side=-1).compare(-0.8, Series(sizes, values)).verdict is FAILS


def test_a_scattered_slope_is_inconclusive():
    series = Series([8, 16, 32, 64], [1.0, 0.2, 0.9, 0.1])
    assert slope(gap=0.05).compare(-0.7, series).verdict is INCONCLUSIVE


def test_convergence_needs_nearness_and_shrinking():
    sizes = [10, 20, 40, 80]
    good = Series(sizes, [2 + 1 / s for s in sizes])
    away = Series(sizes, [2 + s / 1000 for s in sizes])
    assert converges(gap=0.1).compare(2.0, good).verdict is HOLDS
    assert converges(gap=0.1).compare(2.0, away).verdict is INCONCLUSIVE
    assert converges(gap=0.1).compare(3.0, good).verdict is FAILS


@pytest.mark.parametrize(
    "bad",
    [
        dict(sizes=[1, 2], values=[1, 2]),
        dict(sizes=[1, 2, 3, 3], values=[1, 2, 3, 4]),
        dict(sizes=[1, 2, 3, 4], values=[1, 2, 3]),
    ],
)
def test_a_series_needs_four_growing_sizes(bad):
    with pytest.raises(InputError):
        Series(**bad)


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(InputError, match="2 predicted and 3 measured"):
        at_most().compare([1, 2], [1, 2, 3])


def test_counts_must_make_sense():
    with pytest.raises(InputError):
        Count(3, 2)
    with pytest.raises(InputError):
        Sample([1.0])
