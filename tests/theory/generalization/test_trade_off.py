"""Catoni's bound over a grid and PAC-Bayes-lambda, against SciPy and by exact enumeration."""

import math

import numpy as np
import pytest
import torch
from scipy.optimize import brentq, minimize, minimize_scalar
from scipy.special import rel_entr, softmax
from scipy.stats import binom

from corollary.errors import InputError
from corollary.theory.generalization.pac_bayes import delta_catoni, kl_bound, pac_bayes_risk
from corollary.theory.generalization.trade_off import (
    best_lambda,
    catoni_bound,
    lambda_bound,
    lambda_posterior,
    minimised_catoni,
)

CASES = [(q, kl, N) for q in (0.01, 0.1, 0.4) for kl in (0.0, 5.0, 300.0) for N in (100, 5000)]


FINE = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 10_000, "maxfev": 10_000, "adaptive": True}


def kl_root(q, c):
    """The larger solution p of kl(q, p) = c, by SciPy."""
    gap = lambda p: rel_entr(q, p) + rel_entr(1 - q, 1 - p) - c  # noqa: E731
    return brentq(gap, q, 1 - 1e-16, xtol=1e-15)


@pytest.mark.parametrize("q, kl, N", CASES)
def test_catoni_at_its_best_c_is_kl_inversion_without_a_price(q, kl, N):
    found = minimize_scalar(
        lambda c: catoni_bound(q, kl, N, 0.05, math.exp(c)),
        bounds=(-8, 4),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert found.fun == pytest.approx(kl_root(q, (kl + math.log(20)) / N), rel=1e-9)


@pytest.mark.parametrize("q, kl, N", CASES)
def test_the_grid_is_within_a_hundredth_of_every_c_at_its_own_price(q, kl, N):
    best = minimised_catoni(q, kl, N, 0.05)
    every = kl_root(q, (kl + best.price + math.log(20)) / N)
    assert every * (1 - 1e-12) <= best.bound <= 1.01 * every


def test_a_bound_without_errors_is_that_of_the_largest_c():
    best = minimised_catoni(0.0, 10.0, 1000, 0.05)
    assert best.parameter == 16.0
    assert best.bound == pytest.approx(-math.expm1(-(10 + best.price + math.log(20)) / 1000))


def test_catoni_for_a_large_c_keeps_its_digits():
    """By hand: 1 - exp(-40 q - K) with K = (10 + ln 40) / 1000, over 1 - exp(-40)."""
    expected = 1 - math.exp(-0.8 - (10 + math.log(40)) / 1000)
    assert catoni_bound(0.02, 10.0, 1000, 0.025, 40.0) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("C", [0.1, 1.5, 12.0])
def test_the_closed_form_is_what_the_general_theorem_leaves(C):
    general = pac_bayes_risk(delta_catoni(C), 0.1, 5.0, 2000, 0.05)
    assert catoni_bound(0.1, 5.0, 2000, 0.05, C) == pytest.approx(general, rel=1e-12)


def lambda_at_its_best(q, kl, N, eps):
    return lambda_bound(q, kl, N, eps, best_lambda(q, kl, N, eps))


def catoni(*inputs):
    return minimised_catoni(*inputs).bound


@pytest.mark.parametrize("bound", [catoni, lambda_at_its_best])
@pytest.mark.parametrize("risk", [0.1, 0.2, 0.3])
def test_the_luckiest_of_many_coins_breaks_a_bound_seldom_enough(bound, risk):
    """Hypotheses of one risk with independent losses; the posterior is the best on the sample."""
    N, eps, hypotheses = 200, 0.2, 10_000

    def failure(kl):
        """The exact probability that the fewest errors give a bound below the risk."""
        few = sum(bound(k / N, kl, N, eps) < risk for k in range(N + 1))
        return 1 - binom.sf(few - 1, N, risk) ** hypotheses if few else 0.0

    assert failure(math.log(hypotheses)) <= eps
    assert failure(0.0) > eps  # the divergence has to be paid for


def test_no_data_reach_a_c_outside_of_what_the_price_covers():
    grid = {
        minimised_catoni(q, kl, 300, eps).parameter
        for q in np.linspace(0, 1, 21)
        for kl in np.geomspace(1e-3, 1e4, 21)
        for eps in (0.01, 0.5)
    }
    price = minimised_catoni(0.1, 1.0, 300, 0.1).price
    assert 15 <= len(grid) <= math.exp(price) + 1e-9


@pytest.mark.parametrize("q, kl, N", CASES)
def test_the_closed_lambda_is_the_minimum_that_scipy_finds(q, kl, N):
    found = minimize_scalar(
        lambda lam: lambda_bound(q, kl, N, 0.05, lam),
        bounds=(1e-6, 2 - 1e-6),
        method="bounded",
        options={"xatol": 1e-12},
    )
    best = best_lambda(q, kl, N, 0.05)
    assert found.x == pytest.approx(best, abs=1e-6)  # a flat minimum: the root of rounding
    assert lambda_bound(q, kl, N, 0.05, best) <= found.fun * (1 + 1e-14)


@pytest.mark.parametrize("q, kl, N", CASES)
def test_lambda_is_never_below_kl_inversion_and_near_it_for_few_errors(q, kl, N):
    bound = lambda_at_its_best(q, kl, N, 0.05)
    assert bound >= kl_bound(q, kl, N, 0.05)
    if q == 0.01 and bound < 0.1:
        assert bound <= 1.1 * kl_bound(q, kl, N, 0.05)


@pytest.mark.parametrize("seed", range(3))
def test_alternating_minimisation_ends_where_scipy_does(seed):
    rng = np.random.default_rng(seed)
    losses, prior, N = rng.uniform(0, 0.6, 5), softmax(rng.normal(size=5)), 60

    def objective(logits):
        q = softmax(logits)
        return lambda_at_its_best(float(q @ losses), max(rel_entr(q, prior).sum(), 0.0), N, 0.05)

    starts = [np.log(prior), *rng.normal(size=(4, 5))]
    theirs = min(minimize(objective, s, method="Nelder-Mead", options=FINE).fun for s in starts)
    q, bound = lambda_posterior(torch.tensor(losses), torch.tensor(prior), N, 0.05)
    assert bound <= theirs * (1 + 1e-12)
    assert bound == pytest.approx(theirs, rel=1e-4)  # the simplex search ends early on a slope
    assert objective(np.log(q.numpy())) == pytest.approx(bound, rel=1e-12)


@pytest.mark.parametrize(
    "wrong, said",
    [
        (lambda: catoni_bound(0.1, 1.0, 10, 0.1, 0.0), "positive number C, got 0"),
        (lambda: catoni_bound(math.nan, 1.0, 10, 0.1, 1.0), "lie in"),
        (lambda: minimised_catoni(0.1, 1.0, 10, 0.1, ratio=1.0), "ratio above 1, got 1"),
        (lambda: minimised_catoni(0.1, math.nan, 10, 0.1), "at least 0"),
        (lambda: lambda_bound(0.1, 1.0, 10, 0.1, 2.0), "between 0 and 2, got 2"),
        (lambda: best_lambda(0.1, 1.0, 0, 0.1), "samples"),
        (lambda: lambda_posterior(torch.tensor([1.5]), torch.ones(1), 9, 0.1), "outside"),
        (lambda: lambda_posterior(torch.tensor([math.nan]), torch.ones(1), 9, 0.1), "outside"),
    ],
)
def test_what_makes_no_bound_is_refused(wrong, said):
    with pytest.raises(InputError, match=said):
        wrong()
