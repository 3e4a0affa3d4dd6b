import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.generalization.deviations import (
    bounded_differences,
    hoeffding_deviation,
    hoeffding_probability,
    hoeffding_samples,
    mcdiarmid_deviation,
    mcdiarmid_probability,
    upper_quantile,
)


@given(st.integers(1, 400), st.floats(0.01, 0.99), st.floats(0.0, 0.6))
def test_the_exact_binomial_tail_is_below_the_bound(n, p, eps):
    k = torch.arange(n + 1).double()
    far = (k / n - p).abs() > eps + 1e-12
    exact = stats.binom.pmf(k.numpy(), n, p)[far.numpy()].sum()
    assert exact <= hoeffding_probability(n, eps) * (1 + 1e-9)
    above = stats.binom.pmf(k.numpy(), n, p)[(k / n - p > eps + 1e-12).numpy()].sum()
    assert above <= hoeffding_probability(n, eps, sides=1) * (1 + 1e-9)


@pytest.mark.parametrize("sides", [1, 2])
def test_probability_deviation_and_samples_are_inverse_to_each_other(sides):
    eps = hoeffding_deviation(300, 0.05, a=-1, b=3, sides=sides)
    assert hoeffding_probability(300, eps, a=-1, b=3, sides=sides) == pytest.approx(0.05)
    n = hoeffding_samples(0.1, 0.05, sides=sides)
    assert hoeffding_deviation(n, 0.05, sides=sides) <= 0.1
    assert hoeffding_deviation(n - 1, 0.05, sides=sides) > 0.1


def test_the_mean_of_bounded_variables_gives_hoeffding_back():
    c = [4 / 50] * 50
    assert mcdiarmid_deviation(0.1, c) == pytest.approx(hoeffding_deviation(50, 0.1, a=-1, b=3))
    assert mcdiarmid_probability(0.3, c) == pytest.approx(hoeffding_probability(50, 0.3, a=-1, b=3))


def test_the_footnote_read_with_one_variable_would_be_vacuous():
    """c_i = 1 for a function of one variable of range 1: 2 exp(-2 eps^2 / n)."""
    printed = mcdiarmid_probability(0.1, [1.0] * 100)
    assert printed == pytest.approx(2 * math.exp(-2 * 0.01 / 100))
    assert printed > 1.9995
    assert hoeffding_probability(100, 0.1) == pytest.approx(0.2707, abs=1e-4)


def test_a_function_chosen_after_the_data_breaks_the_bound_for_one():
    rng = generator(0, "chosen")
    values = (torch.rand(500, 100, 300, generator=rng) < 0.5).double()  # 300 functions
    off = (values.mean(dim=1) - 0.5).abs().amax(dim=1)
    broken = float((off > hoeffding_deviation(100, 0.05)).double().mean())
    assert broken > 0.5


def test_heavy_tails_break_the_bound():
    rng = generator(0, "heavy")
    u = torch.rand(2000, 100, generator=rng, dtype=torch.float64)
    pareto = u ** (-1 / 1.5) - 1  # mean 2, infinite variance
    off = (pareto.mean(dim=1) - 2).abs()
    assert float((off > hoeffding_deviation(100, 0.05)).double().mean()) > 0.5


def test_bounded_differences_of_the_largest_gap_are_one_over_n():
    def gap(x):
        return (x.sort(dim=1).values - torch.arange(12).double() / 12).amax(dim=1)

    x = torch.rand(200, 12, generator=generator(0, "gap"), dtype=torch.float64)
    seen = bounded_differences(gap, x, rng=generator(0, "swap"))
    assert 0.5 / 12 < float(seen.max()) <= 1 / 12 + 1e-12


def test_the_upper_quantile_covers_as_often_as_it_says():
    rng = generator(0, "quantile")
    hits = sum(
        upper_quantile(torch.rand(200, generator=rng), 0.1, level=0.9) >= 0.9 for _ in range(1000)
    )
    assert hits / 1000 >= 0.88
    with pytest.raises(InputError, match="too few"):
        upper_quantile(torch.rand(10), 0.05)


@pytest.mark.parametrize(
    "call",
    [
        lambda: hoeffding_deviation(0, 0.1),
        lambda: hoeffding_deviation(10, 1.5),
        lambda: hoeffding_deviation(10, 0.1, a=1, b=1),
        lambda: hoeffding_probability(10, -0.1),
        lambda: hoeffding_samples(0.0, 0.1),
        lambda: hoeffding_deviation(10, 0.1, sides=3),
        lambda: mcdiarmid_probability(0.1, []),
        lambda: mcdiarmid_probability(0.1, [-1.0]),
    ],
)
def test_numbers_outside_the_theorem_are_refused(call):
    with pytest.raises(InputError):
        call()
