import math

import pytest
from scipy import stats

from corollary.errors import InputError
from corollary.theory.prerequisites.densities import Density, tail_expectation


def normal_density(x):
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def test_the_uniform_law_is_exact_and_has_a_density_though_its_cdf_has_kinks():
    """dF/dx exists everywhere but at 0 and 1: as the only criterion it leaves this law out."""
    law = Density(lambda x: 1.0, 0.0, 1.0)
    assert law.probability(0.2, 0.5) == pytest.approx(0.3, abs=1e-15)
    assert law.probability(0.4, 0.4) == 0.0
    assert [law.cdf(x) for x in (-1.0, 0.0, 0.25, 1.0, 5.0)] == [0, 0, 0.25, 1, 1]
    h = 1e-6
    left, right = (law.cdf(0.0) - law.cdf(-h)) / h, (law.cdf(h) - law.cdf(0.0)) / h
    assert (left, right) == (0.0, pytest.approx(1.0))


def test_the_normal_density_integrates_to_one_and_is_the_slope_of_its_cdf():
    law = Density(normal_density)
    assert law.probability(-math.inf, math.inf) == pytest.approx(1, abs=1e-8)
    for x in (-1.5, 0.0, 0.7):
        assert law.cdf(x) == pytest.approx(stats.norm.cdf(x), abs=1e-10)
        slope = (law.cdf(x + 1e-4) - law.cdf(x - 1e-4)) / 2e-4
        assert slope == pytest.approx(normal_density(x), abs=1e-6)
    assert law.expectation() == pytest.approx(0, abs=1e-10)
    assert law.expectation(lambda x: x * x) == pytest.approx(1, abs=1e-10)


def test_what_is_no_density_is_refused():
    with pytest.raises(InputError, match="must not be negative"):
        Density(lambda x: 3 * x * x - 0.5, -1.0, 1.0)
    with pytest.raises(InputError, match="must integrate to 1"):
        Density(lambda x: 2.0, 0.0, 1.0)
    with pytest.raises(InputError, match="low < high"):
        Density(lambda x: 1.0, 1.0, 1.0)
    with pytest.raises(InputError, match="a <= b"):
        Density(lambda x: 1.0, 0.0, 1.0).probability(1.0, 0.0)


@pytest.mark.parametrize("rate", [0.5, 2.0])
def test_the_exponential_mean_by_both_formulas(rate):
    law = Density(lambda x: rate * math.exp(-rate * x), 0.0)
    assert law.expectation() == pytest.approx(1 / rate, abs=1e-6)
    assert tail_expectation(lambda t: math.exp(-rate * t)) == pytest.approx(1 / rate, abs=1e-6)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_the_geometric_mean_by_both_formulas(p):
    by_masses = sum(k * p * (1 - p) ** (k - 1) for k in range(1, 500))
    found = tail_expectation(lambda t: (1 - p) ** max(math.ceil(t) - 1, 0), whole_numbers=True)
    assert found == pytest.approx(1 / p, abs=1e-6) and by_masses == pytest.approx(found)


def test_the_mean_modulus_of_a_normal_by_both_formulas():
    found = tail_expectation(lambda t: math.erfc(t / math.sqrt(2)))
    assert found == pytest.approx(math.sqrt(2 / math.pi), abs=1e-6)
    assert Density(normal_density).expectation(abs) == pytest.approx(found, abs=1e-6)


def test_a_variable_with_negative_values_is_refused_for_the_tail_form():
    with pytest.raises(InputError, match="needs X >= 0"):
        tail_expectation(lambda t: min(max((1 - t) / 2, 0.0), 1.0))
