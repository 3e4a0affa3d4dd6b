import math

import pytest
import torch
from scipy import stats

from corollary.core import loglog_fit
from corollary.errors import InputError
from corollary.theory.generalization.deviations import hoeffding_deviation
from corollary.theory.robustness.activation_moments import (
    activation_moments,
    log_slope_moment,
    slope_constants,
)
from corollary.theory.robustness.asymptotics import (
    lower_witness,
    polynomial_constants,
    ratio_exponent,
    upper_witness,
)
from corollary.theory.robustness.concentration import (
    bernstein_bound,
    bernstein_log_mgf,
    bounded_constants,
    chi2_applies,
    chi2_bound,
    chi2_tail,
    moment_constants,
)

GAMMAS = (0.5, 0.1, 1e-2, 1e-4, 1e-6)


@pytest.mark.parametrize("k", [1, 10, 1000])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_sums_of_centred_exponentials_exceed_bernstein_with_probability_at_most_gamma(k, gamma):
    bound = bernstein_bound(k, *moment_constants("exponential"), gamma)
    assert stats.gamma(k).sf(k + bound) <= gamma


@pytest.mark.parametrize("k", [10, 100])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_bounded_variables_keep_bernstein(k, gamma):
    signs = stats.binom(k, 0.5)
    bound = bernstein_bound(k, *moment_constants("rademacher"), gamma)
    assert signs.sf(math.floor((k + bound) / 2)) <= gamma
    p = 0.05
    bound = bernstein_bound(k, *bounded_constants(p * (1 - p), 1 - p), gamma)
    assert stats.binom(k, p).sf(math.floor(k * p + bound)) <= gamma


@pytest.mark.parametrize(
    ("law", "moment"),
    [
        ("rademacher", lambda q: 1.0),
        ("uniform", lambda q: 1 / (q + 1)),
        ("laplace", lambda q: float(math.factorial(q))),
        ("normal", lambda q: 2 ** (q / 2) * math.gamma((q + 1) / 2) / math.sqrt(math.pi)),
        ("exponential", lambda q: stats.expon.expect(lambda t: abs(t - 1) ** q)),
    ],
)
def test_moment_constants_bound_all_moments(law, moment):
    s2, c = moment_constants(law)
    for q in range(2, 25):
        assert moment(q) <= math.factorial(q) / 2 * s2 * c ** (q - 2) * (1 + 1e-9)


def test_bernstein_beats_hoeffding_at_small_variance_only():
    k, gamma = 1000, 0.01
    hoeffding = k * hoeffding_deviation(k, gamma, a=-1.0, b=1.0, sides=1)
    assert bernstein_bound(k, *bounded_constants(0.01, 1.0), gamma) < hoeffding / 5
    assert bernstein_bound(k, *bounded_constants(1.0, 1.0), gamma) > hoeffding


def test_the_moment_generating_function_is_bounded_below_one_over_c_and_infinite_there():
    for lam in (0.1, 0.5, 0.9):
        exact = -lam - math.log(1 - lam)
        assert exact <= bernstein_log_mgf(1, 1.0, 1.0, lam)
    with pytest.raises(InputError, match="1/c"):
        bernstein_log_mgf(1, 1.0, 1.0, 1.0)


@pytest.mark.parametrize("version", ["laurent_massart", "notes", "sub_gaussian"])
@pytest.mark.parametrize("k", [1, 2, 5, 20, 100, 5000])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_chi_square_bounds_hold_where_they_apply(version, k, gamma):
    if chi2_applies(k, gamma, version):
        assert chi2_tail(k, chi2_bound(k, gamma, version)) <= gamma


def test_the_bound_of_the_notes_fails_for_one_degree_of_freedom():
    for gamma, exact in ((1e-6, 5.6e-5), (1e-4, 2.3e-4)):
        assert not chi2_applies(1, gamma, "notes")
        assert chi2_tail(1, chi2_bound(1, gamma, "notes")) == pytest.approx(exact, rel=0.02)


def test_chi_square_tails_are_those_of_scipy():
    for k, t in ((1, 0.5), (1, 3.0), (10, 4.0), (300, 50.0)):
        law = stats.chi2(k)
        assert chi2_tail(k, t) == pytest.approx(law.sf(k + t) + law.cdf(k - t))
        assert law.mean() == k and law.var() == 2 * k


@pytest.mark.parametrize("gamma", [0.0, 1.0, -0.1])
def test_probabilities_outside_zero_and_one_are_refused(gamma):
    with pytest.raises(InputError, match="gamma"):
        chi2_bound(3, gamma)
    with pytest.raises(InputError, match="gamma"):
        bernstein_bound(3, 1.0, 1.0, gamma)


def test_moments_of_slopes_are_those_of_scipy():
    slopes = {
        "relu": (lambda z: (z > 0).double(), lambda z: float(z > 0)),
        "tanh": (lambda z: 1 - z.tanh() ** 2, lambda z: 1 - math.tanh(z) ** 2),
        "softplus": (torch.sigmoid, lambda z: 1 / (1 + math.exp(-z))),
    }
    for ours, theirs in slopes.values():
        for q in (1, 2, 5):
            expected = stats.norm.expect(lambda z, q=q, f=theirs: f(z) ** (2 * q), lb=0)
            expected += stats.norm.expect(lambda z, q=q, f=theirs: f(z) ** (2 * q), ub=0)
            assert activation_moments(ours, [q])[0] == pytest.approx(expected, rel=1e-6)


def test_lipschitz_slopes_have_constants_at_most_one_and_the_exponential_has_none():
    for slope in (lambda z: (z > 0).double(), lambda z: 1 - z.tanh() ** 2, torch.sigmoid):
        s2, c = slope_constants(slope)
        assert s2 <= 1 and c <= 1
        for q in range(2, 20):
            bound = math.lgamma(q + 1) + math.log(s2 / 2) + (q - 2) * math.log(c)
            assert log_slope_moment(slope, q) <= bound + 1e-9
    assert slope_constants(torch.exp) is None


def test_the_square_satisfies_the_condition_with_c_eight():
    for q in range(2, 30):
        exact = q * math.log(4) + math.lgamma(2 * q + 1) - q * math.log(2) - math.lgamma(q + 1)
        assert log_slope_moment(lambda z: 2 * z, q) == pytest.approx(exact)
        assert exact <= math.lgamma(q + 1) + math.log(24) + (q - 2) * math.log(8) + 1e-9


def test_the_examples_of_growth_have_their_constants():
    n = torch.arange(1.0, 1001.0, dtype=torch.float64)
    f = 6 * n**4 - 2 * n**3 + 5
    upper, lower = upper_witness(f, n**4, n), lower_witness(f, n**4, n)
    assert upper.constant <= 6 and upper.first <= 2 and lower.constant > 5.9
    omega = lower_witness(3 * n + 4, n, n)
    assert 3 <= omega.constant and omega.first == 1
    assert ratio_exponent(n**2, n**3, n) == pytest.approx(-1)
    assert abs(ratio_exponent(f, n**4, n)) < 0.01
    proved = polynomial_constants(torch.tensor([5.0, 0, 0, -2, 6]))
    assert bool((f <= proved[0].constant * n**4).all())
    late = n >= proved[1].first
    assert bool((f >= proved[1].constant * n**4)[late].all())


def test_the_growth_rate_comes_with_an_interval_around_it():
    sizes = [10.0, 20, 40, 80, 160]
    noise = (1.02, 0.99, 1.01, 0.98, 1.0)
    fit = loglog_fit(sizes, [3 * s**2 * e for s, e in zip(sizes, noise, strict=True)])
    assert fit.low < 2 < fit.high and fit.high - fit.low < 0.1


def test_growth_needs_sizes_that_grow():
    with pytest.raises(InputError, match="four growing"):
        upper_witness(torch.ones(3), torch.ones(3), torch.ones(3))
