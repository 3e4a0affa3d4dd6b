import math

import mpmath
import numpy as np
import pytest
import torch
from scipy.stats import binom
from torch.distributions import Normal, kl_divergence

from corollary.errors import InputError
from corollary.theory.generalization.dziugaite_roy import (
    TABLE,
    TRUE_LABELS,
    as_printed,
    recomputed,
    without_train_error,
)
from corollary.theory.generalization.gaussian_posterior import (
    grid_variance,
    kl_gaussian_posterior,
    optimal_lambda,
)
from corollary.theory.generalization.pac_bayes import (
    delta_catoni,
    delta_kl,
    delta_square,
    kl_bound,
    log_j,
    log_j_kl,
    mcallester_bound,
    pac_bayes_general,
    pac_bayes_risk,
)


def plain_square(m, q):
    return (m - q).square()


@pytest.mark.parametrize("N", [8, 10, 100, 400])
def test_the_price_of_kl_lies_between_root_n_and_twice_that(N):
    J = math.exp(log_j(delta_kl, N))
    assert math.sqrt(N) <= J <= 2 * math.sqrt(N)
    assert pytest.approx(math.exp(log_j_kl(N)), rel=1e-10) == J


@pytest.mark.parametrize("N, J", [(10, 2.6), (100, 4.4), (400, 6.1)])
def test_the_price_of_the_square_is_smaller(N, J):
    found = math.exp(log_j(delta_square, N))
    assert found == pytest.approx(J, abs=0.05) and found <= 2 * math.sqrt(N)


@pytest.mark.parametrize("N, J", [(10, 1.386), (100, 1.411)])
def test_the_proof_indicated_in_the_notes_costs_no_more_than_root_two(N, J):
    found = math.exp(log_j(plain_square, N))
    assert found == pytest.approx(J, abs=1e-3) and found <= math.sqrt(2)


def test_the_supremum_is_what_scipy_adds_up():
    N = 30
    k, m = np.arange(N + 1), np.linspace(0, 1, 2001)[:, None]
    by_hand = (binom.pmf(k, N, m) * np.exp(2 * N * (m - k / N) ** 2)).sum(axis=1).max()
    assert math.exp(log_j(delta_square, N)) == pytest.approx(by_hand, rel=1e-6)


@pytest.mark.parametrize("C", [0.01, 1.5, 40.0])
def test_catoni_pays_nothing_for_his_distance(C):
    distance = delta_catoni(C)
    tabulated = log_j(lambda m, q: distance(m, q), 40)  # not known by its closed form
    assert tabulated == pytest.approx(log_j(distance, 40), abs=1e-10)
    assert log_j(distance, 10**12) == 0.0  # at once


@pytest.mark.parametrize("C", [1e-8, 1.5, 36.0, 40.0, 700.0])
@pytest.mark.parametrize("m", [1e-12, 0.3, 0.5, 1 - 1e-9, 1 - 2.0**-53, 1.0])
def test_catonis_distance_keeps_its_digits(C, m):
    with mpmath.workdps(400):  # exp(-700) is 1e-304
        exact = -mpmath.log(1 - mpmath.mpf(m) * (1 - mpmath.exp(-mpmath.mpf(C))))
    found = delta_catoni(C)(*torch.tensor([m, 0.0], dtype=torch.float64))
    assert found.item() == pytest.approx(float(exact), rel=1e-13)


def test_catonis_bound_holds_for_large_c():
    # 1 - exp(-(40 * 0.02 + (10 + ln 40) / 1000)), by hand
    bound = 1 - math.exp(-0.8 - (10 + math.log(40)) / 1000)
    found = pac_bayes_risk(delta_catoni(40.0), 0.02, 10.0, 1000, 0.025)
    assert found == pytest.approx(bound, rel=1e-12) == pytest.approx(0.557, abs=5e-4)


@pytest.mark.parametrize("train", [0.0, 0.02, 0.3, 0.9])
@pytest.mark.parametrize("kl", [0.0, 3.0, 300.0])
@pytest.mark.parametrize("N", [10, 1000])
def test_kl_inversion_is_never_worse_than_mcallester(train, kl, N):
    sharp = kl_bound(train, kl, N, 0.05)
    loose = mcallester_bound(train, kl, N, 0.05)
    assert sharp <= loose + 1e-12
    assert pac_bayes_risk(delta_kl, train, kl, N, 0.05) <= sharp + 1e-9 or N < 8
    assert mcallester_bound(train, kl, N, 0.05, printed=True) - train == pytest.approx(
        2 * (loose - train)
    )


def test_the_general_theorem_is_the_formula():
    right = pac_bayes_general(delta_square, 100, 0.05, 7.0)
    assert right == pytest.approx((7 + log_j(delta_square, 100) + math.log(20)) / 100)


@pytest.mark.parametrize("wrong", [{"train": -0.1}, {"kl": -1.0}, {"N": 0}, {"eps": 1.0}])
def test_impossible_numbers_are_refused(wrong):
    with pytest.raises(InputError):
        kl_bound(**({"train": 0.1, "kl": 1.0, "N": 10, "eps": 0.1} | wrong))


@pytest.mark.parametrize("name", TRUE_LABELS)
def test_the_published_bounds_are_kl_inversions(name):
    column = TABLE[name]
    assert recomputed(column) == pytest.approx(column.bound, abs=0.006)
    assert 0.45 < as_printed(column) < 0.60


def test_the_catalogue_of_recomputed_values_is_found_again():
    found = [round(recomputed(TABLE[name]), 3) for name in TRUE_LABELS]
    assert found == [0.161, 0.174, 0.170, 0.186, 0.222, 0.206]


def test_the_entry_for_random_labels_is_the_root_alone():
    assert without_train_error(TABLE["R-600"]) == pytest.approx(1.352, abs=5e-4)
    assert recomputed(TABLE["R-600"]) <= 1 < TABLE["R-600"].bound


def test_the_networks_have_the_published_numbers_of_parameters():
    counts = [TABLE[name].parameters for name in TABLE]
    assert counts == [471_601, 943_201, 326_101, 832_201, 2_384_401, 1_192_801, 471_601]


def posterior(p=20, seed=0):
    rng = torch.Generator().manual_seed(seed)
    theta, theta0, s = torch.randn(3, p, generator=rng, dtype=torch.float64)
    return theta, s.exp(), theta0


def test_the_divergence_of_a_posterior_is_that_of_torch():
    theta, s, theta0 = posterior()
    theirs = kl_divergence(Normal(theta, s.sqrt()), Normal(theta0, math.sqrt(0.3))).sum()
    assert kl_gaussian_posterior(theta, s, theta0, 0.3).item() == pytest.approx(theirs.item())


def test_equal_laws_have_no_divergence():
    one = torch.ones(3, dtype=torch.float64)
    assert kl_gaussian_posterior(one, 0.5 * one, one, 0.5).item() == pytest.approx(0, abs=1e-15)


def test_the_best_prior_variance_is_where_the_slope_is_zero():
    theta, s, theta0 = posterior()
    lam = torch.tensor(optimal_lambda(theta, s, theta0), dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(kl_gaussian_posterior(theta, s, theta0, lam), lam)
    assert abs(float(slope)) < 1e-9


def test_variances_that_are_not_positive_are_refused():
    theta, s, theta0 = posterior()
    with pytest.raises(InputError, match="posterior variances"):
        kl_gaussian_posterior(theta, 0 * s, theta0, 1.0)
    with pytest.raises(InputError, match="prior variance"):
        kl_gaussian_posterior(theta, s, theta0, 0.0)


def test_the_weights_of_the_grid_sum_to_less_than_one():
    points = [grid_variance(math.exp(-(j + 0.5) / 100))[0] for j in range(1, 3000)]
    assert [point.j for point in points] == list(range(1, 3000))
    assert 0.99 < sum(math.exp(-point.price) for point in points) < 1.0


def test_the_grid_encloses_the_variance():
    above, below = grid_variance(0.037)
    assert below.lam <= 0.037 <= above.lam and above.lam / below.lam == pytest.approx(
        math.exp(0.01)
    )
    assert grid_variance(7.0)[0].j == 1  # above the grid: its top
