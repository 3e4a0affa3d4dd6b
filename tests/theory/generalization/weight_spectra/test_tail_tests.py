import math

import numpy as np
import pytest
import torch
from scipy.optimize import minimize
from scipy.stats import norm, truncnorm

from corollary.theory.generalization.weight_spectra.marchenko_pastur import random_spectrum
from corollary.theory.generalization.weight_spectra.power_law import power_law
from corollary.theory.generalization.weight_spectra.tail_tests import (
    _lognormal,
    compared,
    goodness_of_fit,
)

# Customers affected by 211 blackouts in the United States from 1984 to 2002 (Newman 2005).
BLACKOUTS = """
1000 1646 1800 2000 2900 4150 5300 7500 8000 9000 10000 10000 10300 11000 11529 12000 14273 15000
15000 17000 18000 18000 18351 18819 19000 20000 20000 24000 24506 25000 25000 25000 25000 25000
25000 26334 29000 29000 29900 30000 30001 30500 32000 32000 33000 35000 36073 37000 38500 39500
40000 40000 40000 40911 43000 43696 45000 46000 48000 50000 50000 50000 50000 50000 50000 50000
50000 50000 50462 51000 51000 53000 55000 55000 56000 56000 58000 59000 60000 60000 60000 60000
60000 62000 63500 65000 65000 66005 70000 70000 70000 70000 71000 71000 71000 74000 75000 75000
80000 80000 81000 82500 88000 90000 91000 92000 92000 94285 95000 95630 100000 100000 100000 100000
106850 112000 113200 114000 114500 115000 120000 120000 122000 124000 126000 128000 130000 130000
133000 142000 145000 145000 146000 147000 148000 158000 160000 160000 160000 163000 164500 166000
173000 173000 190000 191000 200000 203000 206000 207200 210882 219000 230000 234000 235000 238000
240000 242910 246000 246000 250000 257718 258000 272000 272000 284000 290000 300000 300000 300000
300000 312000 315000 320831 350000 350000 360000 363476 375000 385000 400000 400000 404000 460000
464000 490000 500000 500000 500000 557354 570000 598000 600000 600000 650000 660000 725000 870000
875000 877000 899000 1140000 1300000 1500000 1500000 1500000 1600000 1660000 2085000 2100000
7500000
"""


def blackouts():
    return torch.tensor([float(word) for word in BLACKOUTS.split()], dtype=torch.float64)


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def test_blackouts_have_the_published_numbers():
    """Clauset, Shalizi and Newman (2009), Tables 6.1, 6.3: 230(90), 2.3(3), 59(35), 0.62."""
    x = blackouts()
    fit = power_law(x)
    assert (fit.total, fit.start, fit.tail) == (211, 230000.0, 59)
    assert round(fit.alpha, 1) == 2.3
    assert goodness_of_fit(x, fit, draws=200, rng=rng()) == pytest.approx(0.62, abs=0.1)
    lognormal, exponential = (compared(x, fit, rival) for rival in ("lognormal", "exponential"))
    assert (lognormal.ratio, lognormal.p_value) == pytest.approx((-0.412, 0.68), abs=0.006)
    assert (exponential.ratio, exponential.p_value) == pytest.approx((1.43, 0.15), abs=0.006)


# powerlaw 2.0.0, Fit(x): alpha, xmin, n_tail, D, and distribution_compare with normalized_ratio
# against lognormal and exponential; its optimizer is right to four digits.
POWERLAW = {
    "power": (
        2.366198286633078,
        4.434923635376383,
        48,
        0.026976376507090616,
        (-0.0827072, 0.9340844),
        (1.8143546, 0.0696232),
    ),
    "lognormal": (
        2.3547846553847354,
        8.045801678675486,
        39,
        0.04930505477855973,
        (-0.6156313, 0.5381379),
        (0.9949970, 0.3197377),
    ),
}


@pytest.mark.parametrize("kind", POWERLAW)
def test_fits_and_comparisons_are_those_of_powerlaw(kind):
    q = (np.arange(400) + 0.5) / 400
    x = np.exp(norm.ppf(q) * 1.6)
    if kind == "power":
        x = (1 - q) ** (-1 / 1.4) * (1 + 0.05 * np.sin(40 * q))
    x = torch.from_numpy(x)
    fit = power_law(x)
    alpha, start, tail, distance, lognormal, exponential = POWERLAW[kind]
    found = (fit.alpha, fit.start, fit.tail, fit.distance)
    assert found == pytest.approx((alpha, start, tail, distance), rel=1e-9)
    for rival, expected in (("lognormal", lognormal), ("exponential", exponential)):
        got = compared(x, fit, rival)
        assert (got.ratio, got.p_value) == pytest.approx(expected, abs=4e-4)


def test_the_log_normal_is_the_most_likely_truncated_normal():
    y = torch.randn(300, generator=rng(), dtype=torch.float64) * 0.8 + 0.5
    y = y[y > 0]

    def loss(parameters):
        mu, log_sigma = parameters
        sigma = math.exp(log_sigma)
        return -truncnorm.logpdf(y.numpy(), -mu / sigma, math.inf, mu, sigma).sum()

    best = minimize(loss, [0.3, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9})
    ours = _lognormal(y, torch.zeros_like(y))
    assert float(ours.sum()) == pytest.approx(-best.fun, abs=1e-6)


def test_the_log_normal_becomes_the_power_law_for_spread_tails():
    x = torch.rand(500, generator=rng(), dtype=torch.float64).pow(-1.0).sort().values
    x = torch.cat([x, x[-1:] * 1e6])
    found = compared(x, power_law(x, start=float(x[0])), "lognormal")
    assert (found.ratio, found.p_value, found.beaten) == (0.0, 1.0, False)


def test_p_values_of_true_power_laws_are_spread_out():
    p = []
    for seed in range(12):
        x = torch.rand(120, generator=rng(seed), dtype=torch.float64) ** -0.5
        p.append(goodness_of_fit(x, power_law(x), draws=25, rng=rng(seed)))
    assert np.mean(np.array(p) < 0.1) < 0.45 and 0.25 < np.mean(p) < 0.8


def test_the_bulk_of_noise_is_no_power_law_though_it_has_an_exponent():
    values = random_spectrum(400, 600, rng=rng())
    fit = power_law(values)
    assert 2 < fit.alpha < 60, "a number comes out of any data"
    assert (
        goodness_of_fit(values, fit, draws=50, rng=rng()) < 0.1
        or compared(values, fit, "exponential").ratio < 0
    )
