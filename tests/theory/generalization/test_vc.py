import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ksone

from corollary.errors import InputError
from corollary.theory.generalization.vc import (
    sauer_bound,
    sauer_power,
    vc_deviation,
    vc_dimension_deviation,
    vc_samples,
)


@given(st.integers(1, 60), st.integers(1, 60))
def test_the_second_form_dominates_the_first_from_h_on(n, h):
    if n >= h:
        assert sauer_bound(n, h) <= sauer_power(n, h)
    assert sauer_bound(n, h) <= 2**n
    assert (sauer_bound(n, h) == 2**n) == (n <= h)


def test_the_bound_is_exponential_up_to_h_and_polynomial_beyond():
    """Never faster than exponential, as the notes' remark has it."""
    assert [sauer_bound(n, 3) for n in range(1, 7)] == [2, 4, 8, 15, 26, 42]
    ratios = [sauer_bound(n + 1, 5) / sauer_bound(n, 5) for n in range(1, 40)]
    assert max(ratios) == 2.0
    assert sauer_bound(2000, 3) / 2000**3 == pytest.approx(1 / 6, rel=1e-2)


@given(st.integers(1, 200), st.integers(1, 10_000), st.floats(0.001, 0.9))
def test_the_sharp_form_is_below_the_printed_one(h, n, delta):
    if 2 * n >= h:
        sharp = vc_dimension_deviation(h, n, delta)
        assert sharp <= vc_dimension_deviation(h, n, delta, sharp=False) * (1 + 1e-12)


def test_the_dimension_form_is_never_below_the_growth_form():
    for n, h in ((50, 1), (100, 2), (400, 5)):
        exact = vc_deviation(sauer_bound(2 * n, h), n, 0.05)
        assert exact <= vc_dimension_deviation(h, n, 0.05)


@pytest.mark.parametrize("sharp", [True, False])
@pytest.mark.parametrize(("eps", "h"), [(0.3, 1), (0.1, 10), (0.05, 200)])
def test_the_number_of_samples_is_the_first_that_does(eps, h, sharp):
    n = vc_samples(eps, 0.05, h, sharp=sharp)
    assert vc_dimension_deviation(h, n, 0.05, sharp=sharp) <= eps
    assert vc_dimension_deviation(h, n - 1, 0.05, sharp=sharp) > eps


def test_samples_grow_in_proportion_to_the_dimension():
    assert vc_samples(0.1, 0.05, 1000) == 8605604
    assert vc_samples(0.1, 0.05, 10_000) / vc_samples(0.1, 0.05, 1000) == pytest.approx(
        10, rel=0.01
    )


@pytest.mark.parametrize("n", [20, 200, 2000])
def test_the_exact_quantile_of_smirnov_is_below_the_bound_for_thresholds(n):
    assert ksone.ppf(0.95, n) <= vc_deviation(2 * n + 1, n, 0.05)


def test_vacuous_values_are_said_as_they_are():
    assert vc_deviation(2**400, 200, 0.05) > 1
    assert vc_deviation(2**40_000, 20_000, 0.05) == pytest.approx(
        2 * math.sqrt(2 * (40_000 * math.log(2) + math.log(40)) / 20_000)
    )


def test_numbers_outside_the_theorem_are_refused():
    for call in (
        lambda: vc_deviation(0, 10, 0.1),
        lambda: vc_dimension_deviation(100, 10, 0.1),
        lambda: vc_samples(0.0, 0.1, 3),
        lambda: sauer_bound(-1, 3),
        lambda: sauer_power(3, 5),
    ):
        with pytest.raises(InputError):
            call()
